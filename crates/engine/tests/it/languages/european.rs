//! Languages that put blanks between words: case, accents, typos and unfinished words.

use serde_json::json;

use crate::languages::support::{WORLD, texts_of};

#[test]
fn english() {
    WORLD.check("library", &[("eng-2", "library")]);
    WORLD.check("RIGHTS", &[("eng", "rights")]);
    WORLD.check("brother", &[("eng", "brother")]);
    WORLD.check("brother ", &[]);
    WORLD.check("libary ", &[("eng-2", "library")]);
    WORLD.check("dignety ", &[("eng", "dignity")]);
    WORLD.check("cafe", &[("eng-3", "café")]);
    WORLD.check("moby dick", &[("eng-3", "Moby|Dick")]);
    WORLD.check("mobydick", &[("eng-3", "Moby-Dick")]);
    WORLD.check("childrens", &[("eng-2", "children's")]);
    WORLD.check("o'clock", &[("eng-2", "o|clock")]);
    WORLD.check("reread", &[]);
    WORLD.check("cat ", &[]);
}

#[test]
fn german_without_a_locale_keeps_compounds_whole() {
    WORLD.check("würde", &[("deu", "Würde")]);
    WORLD.check("WURDE", &[("deu", "Würde")]);
    WORLD.check("menschen", &[("deu", "Menschen")]);
    WORLD.check("gewisen ", &[("deu", "Gewissen")]);
    WORLD.check("arzte", &[("deu-3", "Ärzte")]);
    WORLD.check("kaffee", &[("deu-2", "Kaffee")]);
    WORLD.check("kaffeemaschine", &[("deu-2", "Kaffeemaschine")]);
    WORLD.check("maschine", &[]);
    // ß is a letter of its own, and two letters are two typos away.
    WORLD.check("straße", &[("deu-3", "Straße")]);
    WORLD.check("strasse", &[]);
}

#[test]
fn german_compounds_are_cut_where_the_text_is_german() {
    let german = json!([{ "attributePatterns": ["text"], "locales": ["de"] }]);
    let texts = texts_of("deu", json!({ "localizedAttributes": german }));
    texts.check("maschine", &[("deu-2", "maschine|maschine")]);
    texts.check("kaffee", &[("deu-2", "Kaffee")]);
    texts.check("kaffeemaschine ", &[("deu-2", "Kaffee|maschine|maschine")]);
    texts.check("\"kaffee maschine\"", &[("deu-2", "Kaffeemaschine")]);
    texts.check("spul", &[("deu-2", "Spül")]);
    texts.check("bruder", &[("deu", "Brüder")]);
    texts.check("teemaschine ", &[]);
    // Another language in the query leaves it whole: it finds the parts as a split word, and the
    // text is cut for marking as the query is.
    texts.check_in(&["en"], "kaffeemaschine ", &[("deu-2", "")]);
    texts.check_in(&["en"], "spülmaschinen ", &[]);
}

#[test]
fn swedish_letters_fold_like_accents_without_a_locale() {
    WORLD.check("människor", &[("swe", "människor")]);
    WORLD.check("manniskor", &[("swe", "människor")]);
    WORLD.check("bat", &[("swe-2", "båt")]);
    WORLD.check("ÅKER", &[("swe-2", "åker")]);
    WORLD.check("åsk", &[("swe-3", "ask")]);
    WORLD.check("förnuft", &[("swe", "förnuft")]);
    WORLD.check("sjöar ", &[]);
}

#[test]
fn swedish_letters_are_letters_in_swedish() {
    let swedish = json!([{ "attributePatterns": ["*"], "locales": ["sv"] }]);
    let texts = texts_of("swe", json!({ "localizedAttributes": swedish }));
    texts.check("båt", &[("swe-2", "båt")]);
    texts.check("bat", &[]);
    texts.check("ÅKER", &[("swe-2", "åker")]);
    texts.check("åk", &[("swe-2", "åk|Åk")]);
    texts.check("aker", &[]);
    texts.check("ask", &[("swe-3", "ask")]);
    texts.check("åsk", &[]);
    texts.check("over", &[]);
    // A typo is still a typo.
    texts.check("manniskor ", &[("swe", "människor")]);
    texts.check_in(&["en"], "åsk", &[("swe-3", "ask")]);
}

#[test]
fn turkish_i_has_no_dot_that_counts() {
    for query in ["istanbul", "ISTANBUL", "İSTANBUL", "ıstanbul"] {
        WORLD.check(query, &[("tur-2", "İstanbul")]);
    }
    for query in ["ılık", "ilik", "ILIK", "İLİK"] {
        WORLD.check(query, &[("tur-2", "ılık")]);
    }
    WORLD.check("ısparta", &[("tur-2", "ISPARTA")]);
    WORLD.check("sarki", &[("tur-3", "şarkı")]);
    WORLD.check("ÇOCUK", &[("tur-3", "Çocuk")]);
    WORLD.check("kardeslik", &[("tur", "kardeşlik")]);
    WORLD.check("kardşelik ", &[("tur", "kardeşlik")]);
    WORLD.check("araba", &[]);
}

#[test]
fn turkish_is_the_same_with_its_locale() {
    let turkish = json!([{ "attributePatterns": ["text"], "locales": ["tr"] }]);
    let texts = texts_of("tur", json!({ "localizedAttributes": turkish }));
    for query in ["ılık", "ilik", "ILIK", "İLİK"] {
        texts.check(query, &[("tur-2", "ılık")]);
    }
    texts.check("ISPARTA", &[("tur-2", "ISPARTA")]);
    texts.check("bahçe ", &[]);
}

#[test]
fn vietnamese_is_found_with_and_without_its_tones() {
    WORLD.check("hà nội", &[("vie-2", "Hà|Nội")]);
    WORLD.check("ha noi", &[("vie-2", "Hà|Nội")]);
    WORLD.check("thu do", &[("vie-2", "thủ|đô")]);
    WORLD.check("ĐÔ ", &[("vie", "do"), ("vie-2", "đô")]);
    WORLD.check("binh dang", &[("vie", "bình|đẳng")]);
    WORLD.check("duoc", &[("vie", "được|được")]);
    WORLD.check("\"cà phê\"", &[("vie-3", "cà phê")]);
    WORLD.check("phở", &[]);
}

#[test]
fn greek_without_accents_and_with_either_sigma() {
    for query in ["Οδυσσέας", "οδυσσεας", "ΟΔΥΣΣΕΑΣ", "οδυσσεασ"] {
        WORLD.check(query, &[("ell-2", "Οδυσσέας")]);
    }
    WORLD.check("ιθακ", &[("ell-2", "Ιθάκ")]);
    WORLD.check("δικαιωματα", &[("ell", "δικαιώματα")]);
    WORLD.check("αξιοπρεπια ", &[("ell", "αξιοπρέπεια")]);
    WORLD.check("θαλασα ", &[("ell-3", "θάλασσα")]);
    WORLD.check("γάτα", &[]);
}

#[test]
fn russian_keeps_the_dots_of_yo() {
    WORLD.check("ЁЖИК", &[("rus-2", "Ёжик")]);
    WORLD.check("ежик", &[]);
    WORLD.check("мёд", &[("rus-2", "мёд")]);
    WORLD.check("мед", &[]);
    // In a word of five letters they are a typo.
    WORLD.check("своем ", &[("rus", "своём")]);
    WORLD.check("СВОБОДНЫМИ", &[("rus", "свободными")]);
    WORLD.check("библеотека ", &[("rus-3", "библиотека")]);
    WORLD.check("москва ", &[("rus-3", "Москве")]);
    WORLD.check("библио", &[("rus-3", "библио")]);
    WORLD.check("собака", &[]);
}

#[test]
fn a_word_of_one_language_is_a_prefix_of_another() {
    WORLD.check("dog", &[("tur", "doğ")]);
    WORLD.check("dog ", &[]);
}
