//! Chinese and Japanese, which put no blanks between words, and Korean, which puts them after
//! endings.

use serde_json::json;

use crate::languages::support::{WORLD, texts_of};

#[test]
fn chinese_is_cut_into_words() {
    WORLD.check("图书馆", &[("zho-2", "图书|馆")]);
    WORLD.check("尊严", &[("zho", "尊严")]);
    WORLD.check("权利", &[("zho", "权利")]);
    WORLD.check("兄弟关系", &[("zho", "兄弟|关系")]);
    WORLD.check("\"国家图书馆\"", &[("zho-2", "国家图书馆")]);
    // An unfinished word.
    WORLD.check("图", &[("zho-2", "图")]);
    // It stands there, across two words: 今天|下午.
    WORLD.check("天下", &[]);
    WORLD.check("书馆国", &[]);
}

#[test]
fn words_that_chinese_and_japanese_share_are_found_in_both() {
    WORLD.check("自由", &[("jpn", "自由"), ("zho", "自由")]);
    WORLD.check("良心", &[("jpn", "良心"), ("zho", "良心")]);
}

#[test]
fn chinese_words_of_two_characters_have_no_typos() {
    WORLD.check("权理 ", &[]);
    WORLD.check("尊言 ", &[]);
}

#[test]
fn traditional_and_simplified_characters_meet_where_they_are_variants() {
    WORLD.check("長城", &[("zho-3", "長|城")]);
    WORLD.check("长城", &[("zho-3", "長城")]);
    WORLD.check("中国", &[("zho-3", "中國")]);
    // 遊 and 游 are two characters.
    WORLD.check("旅遊", &[("zho-3", "旅|遊")]);
    WORLD.check("旅游", &[]);
}

#[test]
fn chinese_under_another_language_is_not_cut() {
    WORLD.check_in(&["zh"], "图书馆", &[("zho-2", "图书|馆")]);
    WORLD.check_in(&["cmn"], "图书馆", &[("zho-2", "图书|馆")]);
    WORLD.check_in(&["en"], "图书馆", &[]);
    let english = json!([{ "attributePatterns": ["text"], "locales": ["en"] }]);
    let texts = texts_of("zho", json!({ "localizedAttributes": english }));
    // Whole, and so found by how it begins.
    texts.check("今天", &[("zho-2", "今天")]);
    texts.check("下午", &[]);
    texts.check_in(&["zh"], "图书馆", &[]);
}

#[test]
fn japanese_with_kana_is_cut_into_words() {
    WORLD.check("東京タワー", &[("jpn-2", "東京|タワー")]);
    WORLD.check("タワー", &[("jpn-2", "タワー")]);
    WORLD.check("コンピューター", &[("jpn-3", "コンピューター")]);
    WORLD.check("コンピュ", &[("jpn-3", "コンピュ")]);
    WORLD.check("こんぴゅ", &[("jpn-3", "コンピュ")]);
    WORLD.check("写真を", &[("jpn-2", "写真|を")]);
    WORLD.check("猫", &[("jpn-3", "猫")]);
    // No readings, and nothing across words.
    WORLD.check("ねこ", &[]);
    WORLD.check("京タ", &[]);
}

#[test]
fn a_query_of_kanji_alone_is_chinese_unless_stated_otherwise() {
    WORLD.check("写真", &[]);
    WORLD.check("権利", &[]);
    WORLD.check_in(&["ja"], "写真", &[("jpn-2", "写真")]);
    WORLD.check_in(&["jpn"], "権利", &[("jpn", "権利")]);
    let japanese = json!([{ "attributePatterns": ["text"], "locales": ["ja"] }]);
    let texts = texts_of("jpn", json!({ "localizedAttributes": japanese }));
    texts.check("写真", &[("jpn-2", "写真")]);
    texts.check("権利", &[("jpn", "権利")]);
    texts.check("人間", &[("jpn", "人間|人間")]);
    texts.check("図書館", &[]);
    // Asking for any language is not the same as not asking.
    texts.check_in(&[], "写真", &[]);
}

#[test]
fn korean_is_found_by_how_its_words_begin() {
    WORLD.check("도서관", &[("kor-2", "도서관")]);
    WORLD.check("자유", &[("kor", "자유")]);
    WORLD.check("서울의", &[("kor-3", "서울의")]);
    WORLD.check("인간", &[("kor", "인간|인간")]);
    // Endings are not cut off.
    WORLD.check("도서관 ", &[]);
    WORLD.check("학교", &[]);
}

#[test]
fn korean_is_found_while_a_syllable_is_typed_and_with_a_wrong_one() {
    for query in ["도서ㄱ", "도서고", "도서과", "도서관"] {
        WORLD.check(query, &[("kor-2", "도서관")]);
    }
    // Typos are counted in letters, not in syllables.
    WORLD.check("도서괸에서 ", &[("kor-2", "도서관에서")]);
    WORLD.check("인갼은 ", &[("kor", "인간은|인간은")]);
    WORLD.check("볼은 ", &[("kor-3", "봄은")]);
    WORLD.check("벌운 ", &[]);
}
