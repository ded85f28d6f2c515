//! Hebrew, Arabic and Persian: points and marks, letters with several forms, the article.

use serde_json::json;

use crate::languages::support::{WORLD, texts_of};

#[test]
fn hebrew_is_found_with_and_without_points() {
    WORLD.check("שלום", &[("heb-3", "שָׁלוֹם")]);
    WORLD.check("שָׁלוֹם", &[("heb-3", "שָׁלוֹם")]);
    WORLD.check("העולם", &[("heb-3", "הָעוֹלָם")]);
    WORLD.check("ספר", &[("heb-2", "ספר")]);
    WORLD.check("הילד", &[("heb-2", "הילד")]);
    WORLD.check("בתבונא ", &[("heb", "בתבונה")]);
    // A preposition or an article is part of its word.
    WORLD.check("ספרייה", &[]);
    WORLD.check("בספרייה", &[("heb-2", "בספרייה")]);
    WORLD.check("ילדים", &[]);
}

#[test]
fn the_arabic_article_is_a_word_of_its_own() {
    WORLD.check("مدرسة", &[("ara-2", "مدرسة")]);
    WORLD.check("طالب", &[("ara-2", "طالب")]);
    WORLD.check("كرامة", &[("ara", "كرامة")]);
    WORLD.check("\"المدرسة الجديدة\"", &[("ara-2", "المدرسة الجديدة")]);
    // Behind a conjunction it is not.
    WORLD.check("والحقوق", &[("ara", "والحقوق")]);
    WORLD.check("مستشفى", &[]);
}

#[test]
fn arabic_letters_and_marks_fold() {
    // Teh marbuta and heh, alef with and without hamza, vowel signs.
    WORLD.check("مدرسه", &[("ara-2", "مدرسة")]);
    WORLD.check("احرار", &[("ara", "أحرار")]);
    WORLD.check("كتاب", &[("ara-3", "كِتَاب")]);
    WORLD.check("كِتَابًا", &[("ara-3", "كِتَابًا")]);
    WORLD.check(
        "المدرشة ",
        &[("ara", "ال|ال|ال"), ("ara-2", "ال|إل|ال|مدرسة|ال"), ("ara-3", "ال|ال")],
    );
}

#[test]
fn short_text_in_arabic_letters_may_be_taken_for_persian() {
    // Two letters of the query become their Persian forms, and the Arabic word is missed.
    WORLD.check("كتابا", &[("pes-2", "کتاب")]);
    WORLD.check_in(&["ar"], "كتابا", &[("ara-3", "كِتَابًا")]);
    let arabic = json!([{ "attributePatterns": ["text"], "locales": ["ar"] }]);
    let texts = texts_of("ara", json!({ "localizedAttributes": arabic }));
    texts.check("كتابا", &[("ara-3", "كِتَابًا")]);
    texts.check("لغة", &[("ara-3", "لغة")]);
    texts.check("كرامه", &[("ara", "كرامة")]);
    texts.check("حقوق", &[]);
}

#[test]
fn persian_letters_digits_and_the_half_space() {
    let persian = json!([{ "attributePatterns": ["text"], "locales": ["fa"] }]);
    let texts = texts_of("pes", json!({ "localizedAttributes": persian }));
    texts.check("کتاب", &[("pes-2", "کتاب")]);
    texts.check("كتاب", &[("pes-2", "کتاب")]);
    texts.check("فارسي", &[("pes-2", "فارسی")]);
    texts.check("۱۴۰۳", &[("pes-3", "۱۴۰۳")]);
    texts.check("1403", &[("pes-3", "۱۴۰۳")]);
    texts.check("میخوانم", &[("pes-2", "می\u{200c}خوانم")]);
    texts.check("\"می\u{200c}خوانم\"", &[("pes-2", "می\u{200c}خوانم")]);
    texts.check("ازاد", &[("pes", "آزاد")]);
    texts.check("رفتا", &[("pes", "رفتا")]);
    texts.check("گربه", &[]);
}

#[test]
fn persian_is_found_among_all_languages() {
    WORLD.check("تهران", &[("pes-3", "تهران")]);
    WORLD.check("برادری", &[("pes", "برادری")]);
    WORLD.check("حقوق", &[("pes", "حقوق")]);
    WORLD.check_in(&["fa"], "۱۴۰۳", &[("pes-3", "۱۴۰۳")]);
}
