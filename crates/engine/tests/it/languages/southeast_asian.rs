//! Thai and Khmer, which put no blanks between words and are cut by their dictionaries, whatever
//! the language is said to be.

use serde_json::json;

use crate::languages::support::{WORLD, texts_of};

#[test]
fn thai_is_cut_into_words() {
    WORLD.check("ร้านอาหาร", &[("tha-2", "ร้านอาหาร")]);
    WORLD.check("ไทย", &[("tha-2", "ไทย")]);
    WORLD.check("รถไฟ", &[("tha-3", "รถไฟ")]);
    WORLD.check("ฉันชอบ", &[("tha-2", "ฉัน|ชอบ")]);
    WORLD.check("\"กินข้าวผัด\"", &[("tha-2", "กินข้าวผัด")]);
    WORLD.check("แมว", &[]);
}

#[test]
fn an_unfinished_thai_word_is_found_and_the_end_of_one_is_not() {
    WORLD.check("รถ", &[("tha-3", "รถ")]);
    WORLD.check("รถ ", &[]);
    WORLD.check("ร้าน", &[("tha-2", "ร้าน")]);
    WORLD.check("อาหาร", &[]);
    // Across two words: รถไฟ|ไป.
    WORLD.check("ไฟไป", &[]);
}

#[test]
fn thai_signs_above_the_end_of_a_word_do_not_count() {
    WORLD.check("สิทธ ", &[("tha", "สิทธิ")]);
    WORLD.check("มนุษย ", &[("tha", "มนุษย์")]);
}

#[test]
fn khmer_is_cut_into_words() {
    WORLD.check("សាលារៀន", &[("khm-2", "សាលារៀន")]);
    WORLD.check("ភ្នំពេញ", &[("khm-2", "ភ្នំពេញ")]);
    WORLD.check("មនុស្ស", &[("khm", "មនុស្ស|មនុស្ស")]);
    WORLD.check("កម្ពុជា", &[("khm-3", "កម្ពុជា")]);
    WORLD.check("ខ្ញុំទៅ", &[("khm-2", "ខ្ញុំ|ទៅ")]);
    WORLD.check("ភ្នំ", &[("khm-2", "ភ្នំ")]);
    WORLD.check("ភ្នំ ", &[]);
    WORLD.check("រៀន", &[]);
    WORLD.check("ឆ្មា", &[]);
}

#[test]
fn both_are_cut_whatever_the_locales() {
    WORLD.check_in(&["en"], "រៀន", &[]);
    WORLD.check_in(&["en"], "កម្ពុជា", &[("khm-3", "កម្ពុជា")]);
    WORLD.check_in(&["zh"], "ไทย", &[("tha-2", "ไทย")]);
    let german = json!([{ "attributePatterns": ["*"], "locales": ["de"] }]);
    let texts = texts_of("tha", json!({ "localizedAttributes": german }));
    texts.check("ไทย", &[("tha-2", "ไทย")]);
    texts.check("อาหาร", &[]);
}
