//! Japanese is cut by this crate, because the baseline was recorded without its dictionary.

use std::collections::BTreeSet;

use text::{Language, Tokenizer, WordLists};

fn cut(text: &str, lists: WordLists, languages: &[Language]) -> Vec<String> {
    let tokenizer = Tokenizer::new(lists);
    let tokens = tokenizer.tokens(text, languages);
    let words = tokens.iter().filter(|token| token.is_word());
    words.map(|token| token.lemma.to_string()).collect()
}

fn words(text: &str, languages: &[Language]) -> Vec<String> {
    cut(text, WordLists::default(), languages)
}

#[test]
fn text_with_kana_is_cut_into_words() {
    let expected = ["東京", "たわー", "に", "行き", "まし", "た"];
    assert_eq!(words("東京タワーに行きました。", &[]), expected);
    assert_eq!(words("東京タワーに行きました。", &[Language::Jpn]), expected);
    assert_eq!(words("私は学生", &[]), ["私", "は", "学生"]);
}

#[test]
fn katakana_and_hiragana_are_the_same() {
    assert_eq!(words("ネコ", &[]), ["ねこ"]);
    assert_eq!(words("ねこ", &[]), ["ねこ"]);
    let tokenizer = Tokenizer::new(WordLists::default());
    let tokens = tokenizer.tokens("ガム", &[]);
    assert_eq!(tokens[0].lemma, "か\u{3099}む");
    assert_eq!(tokens[0].char_map, Some(vec![(3, 6), (3, 3)]));
}

#[test]
fn ideographs_alone_stay_as_recorded() {
    assert_eq!(words("北京大学", &[Language::Jpn]), ["北京大学"]);
    assert_eq!(words("図書館", &[]).len(), 3, "Chinese, where it is not in the dictionary");
}

#[test]
fn another_imposed_language_keeps_japanese_whole() {
    assert_eq!(words("私は学生", &[Language::Eng]), ["私は学生"]);
}

#[test]
fn separators_numbers_and_other_scripts_cut_as_elsewhere() {
    assert_eq!(
        words("コンピューターを12.5台、PCも買う", &[]),
        ["こんひ\u{309a}ゅーたー", "を", "12", "5", "台", "pc", "も", "買う"]
    );
}

#[test]
fn words_of_the_dictionary_stay_whole() {
    let dictionary = BTreeSet::from(["東京タワー".to_owned()]);
    let lists = WordLists { dictionary, ..WordLists::default() };
    assert_eq!(cut("東京タワーに行く", lists, &[]), ["東京たわー", "に", "行く"]);
}
