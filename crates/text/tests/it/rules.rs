//! The rules of cutting and normalising, one by one.

use std::collections::BTreeSet;

use text::{Language, Scratch, TokenKind, Tokenizer, WordEvent, WordLists};

fn list(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The events of a text: words, `-` for a skipped word, `|` for a gap.
fn events_with(text: &str, lists: WordLists, languages: &[Language]) -> Vec<String> {
    let mut events = Vec::new();
    let mut scratch = Scratch::default();
    Tokenizer::new(lists).for_each_word(text, languages, &mut scratch, |event| {
        events.push(match event {
            WordEvent::Word(word) => word.to_owned(),
            WordEvent::Skip => "-".to_owned(),
            WordEvent::Gap => "|".to_owned(),
        });
    });
    events
}

fn events(text: &str) -> Vec<String> {
    events_with(text, WordLists::default(), &[])
}

fn spoken(text: &str, language: Language) -> Vec<String> {
    events_with(text, WordLists::default(), &[language])
}

fn stopped(text: &str, stop_words: &[&str]) -> Vec<String> {
    let lists = WordLists { stop_words: list(stop_words), ..WordLists::default() };
    events_with(text, lists, &[])
}

#[test]
fn soft_separators_are_one_apart() {
    assert_eq!(events("baker's well-known"), ["baker", "s", "well", "known"]);
    assert_eq!(
        events("a.b,c:d/e\\f@g#h&i*j%k+l`m(n)o"),
        "abcdefghijklmno".split("").filter(|s| !s.is_empty()).collect::<Vec<_>>()
    );
    assert_eq!(events("3.14 1,000"), ["3", "14", "1", "000"]);
}

#[test]
fn hard_separators_leave_a_gap() {
    assert_eq!(
        events("one. two, three; four! five?six"),
        ["one", "|", "two", "|", "three", "|", "four", "|", "five", "|", "six"]
    );
    assert_eq!(
        events("un¡dos¿tres§quatre¶cinq※six"),
        ["un", "|", "dos", "|", "tres", "|", "quatre", "|", "cinq", "|", "six"]
    );
}

#[test]
fn a_full_stop_is_hard_only_before_a_space() {
    assert_eq!(events("one.\ntwo,\ttwo."), ["one", "two", "two"]);
}

#[test]
fn several_separators_count_once_and_none_at_the_edges() {
    assert_eq!(events("...! one - ;, ! two ... !"), ["one", "|", "two"]);
    assert_eq!(events(" ! "), Vec::<String>::new());
    assert_eq!(events(""), Vec::<String>::new());
}

#[test]
fn these_are_no_separators() {
    for text in ["$5", "5€", "a=b", "a|b", "a~b", "20°c", "a→b", "x★y", "a\u{200b}b", "🚀x"]
    {
        assert_eq!(events(text), [text]);
    }
}

#[test]
fn kinds_are_told_after_decomposition() {
    assert_eq!(events("a，b"), ["a", "b"], "a full-width comma is soft");
    assert_eq!(events("a！b"), ["a", "|", "b"]);
    assert_eq!(events("a…b"), ["a", "...", "b"]);
    assert_eq!(events("a\u{a0}b \u{a0} c"), ["a b", "c"], "alone it is a space");
}

#[test]
fn measured_separators() {
    let mut kind = "";
    let mut count = 0;
    for line in include_str!("data/separators.txt").lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('[') {
            kind = line;
            continue;
        }
        for range in line.split(' ') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let code = |text| u32::from_str_radix(text, 16).unwrap();
            for c in (code(first)..=code(last)).filter_map(char::from_u32) {
                let text = format!("ab{c}cd");
                let expected: &[&str] =
                    if kind == "[hard]" { &["ab", "|", "cd"] } else { &["ab", "cd"] };
                assert_eq!(events(&text), expected, "{c:?} {kind}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 809);
}

#[test]
fn compatibility_forms_are_decomposed() {
    assert_eq!(events("ﬁne x² H₂O ½"), ["fine", "x2", "h2o", "1⁄2"]);
    assert_eq!(events("ＦＵＬＬ ｆｕｌｌ"), ["FULL", "full"], "full width is not lower-cased");
}

#[test]
fn control_characters_are_dropped() {
    assert_eq!(events("ni\u{7}ght\u{7f} \u{1} end"), ["night", "end"]);
    assert_eq!(events("a\u{b}b \u{c}c\u{c}"), ["a\u{b}b", "c"], "but white space is not");
}

#[test]
fn scripts_with_case_are_lower_cased() {
    assert_eq!(events("MongoDB МОСКВА ΟΔΟΣ ԵՐԵՎԱՆ"), ["mongodb", "москва", "οδοσ", "երեվան"]);
    assert_eq!(events("ᲗᲑ"), ["ᲗᲑ"], "Mtavruli capitals are of no known script");
}

#[test]
fn latin_letters_are_folded() {
    assert_eq!(
        events("Œuvre Æthel đà Ðað ISPARTA ırmak İst"),
        ["oeuvre", "aethel", "da", "dad", "isparta", "irmak", "ist"]
    );
    assert_eq!(events("Straße łódź øl þór"), ["straße", "łodz", "øl", "þor"]);
}

#[test]
fn marks_are_removed_but_not_in_cyrillic() {
    assert_eq!(events("café cafe\u{301}"), ["cafe", "cafe"]);
    assert_eq!(events("Ёлка"), ["е\u{308}лка"]);
    assert_eq!(events("שָׁלוֹם"), ["שלום"]);
    assert_eq!(events("מ I ❤\u{fe0f} tea"), ["מ", "i", "❤", "tea"]);
    assert_eq!(events("❤\u{fe0f}"), ["❤\u{fe0f}"], "of no script it keeps its selector");
}

#[test]
fn greek_final_sigma_is_sigma() {
    assert_eq!(events("Σίσυφος ςα"), ["σισυφοσ", "ςα"]);
}

#[test]
fn arabic_letters_are_unified_and_the_article_cut() {
    assert_eq!(events("إسلام مدرسة على كتـــاب"), ["اسلام", "مدرسه", "علي", "كتاب"]);
    assert_eq!(spoken("الكتاب ال", Language::Ara), ["ال", "كتاب", "ال"]);
    assert_eq!(spoken("سال ۱۴۰۳ كي", Language::Pes), ["سال", "1403", "کی"]);
}

#[test]
fn chinese_is_cut_by_dictionary_and_its_variants_unified() {
    assert_eq!(events("北京大学生活动中心").len(), 5);
    assert_eq!(events("龙门"), ["龍門"]);
    assert_eq!(spoken("北京大学", Language::Eng), ["北京大学"], "not under another language");
}

#[test]
fn thai_and_khmer_are_cut_whatever_the_language() {
    for languages in [&[][..], &[Language::Eng], &[Language::Fra, Language::Deu]] {
        let cut = |text| events_with(text, WordLists::default(), languages).len();
        assert_eq!(cut("ฉันรักแมว"), 3);
        assert_eq!(cut("ផ្ទះធំ"), 2);
    }
}

#[test]
fn german_is_cut_only_when_asked_for() {
    assert_eq!(events("Kaffeemaschine"), ["kaffeemaschine"]);
    assert_eq!(spoken("Kaffeemaschine", Language::Deu), ["kaffee", "maschine"]);
    let both = [Language::Deu, Language::Eng];
    let cut = |text| events_with(text, WordLists::default(), &both);
    assert_eq!(cut("Kaffeemaschine"), ["kaffee", "maschine"]);
    assert_eq!(cut("coffeehouse"), ["coffeehouse"]);
}

#[test]
fn swedish_keeps_its_letters_only_when_asked_for() {
    assert_eq!(events("Åska"), ["aska"]);
    assert_eq!(spoken("Åska a\u{308}ra Ös café", Language::Swe), ["åska", "ära", "ös", "cafe"]);
}

#[test]
fn a_script_starts_a_new_word() {
    assert_eq!(events("abcмоскваdef"), ["abc", "москва", "def"]);
    assert_eq!(events("Москва123abc"), ["москва123", "abc"]);
}

#[test]
fn stop_words_take_a_position_and_mind_case() {
    assert_eq!(
        stopped("The lord of the rings", &["the", "of"]),
        ["the", "lord", "-", "-", "rings"]
    );
    assert_eq!(stopped("a. the, b", &["the"]), ["a", "|", "-", "|", "b"]);
}

#[test]
fn stop_words_are_compared_after_decomposition() {
    assert_eq!(stopped("ﬁ é x²", &["fi", "é", "x2"]), ["-", "e", "-"]);
    assert_eq!(stopped("é", &["e\u{301}"]), ["-"]);
}

#[test]
fn separators_are_added_and_removed() {
    let lists = || WordLists {
        separators: list(&["|", "§§", "and", "!!"]),
        non_separators: list(&["-", ".", "@"]),
        ..WordLists::default()
    };
    let events = |text| events_with(text, lists(), &[]);
    assert_eq!(events("a|b sandy"), ["a", "b", "s", "y"]);
    assert_eq!(events("well-known a@b.c. d"), ["well-known", "a@b.c", "|", "d"], "`. ` remains");
    assert_eq!(events("a!!b!c"), ["a", "b", "|", "c"], "soft unless built in as hard");
}

#[test]
fn words_of_the_dictionary_are_kept_with_their_separators() {
    let lists = || WordLists { dictionary: list(&["J. R. R.", "S.C"]), ..WordLists::default() };
    let events = |text| events_with(text, lists(), &[]);
    assert_eq!(events("J. R. R. Tolkien, j. r."), ["j. r. r.", "tolkien", "|", "j", "|", "r"]);
    assert_eq!(events("abS.Cde"), ["ab", "s.c", "de"], "also inside a word");
}

#[test]
fn tokens_cover_the_text_and_map_characters() {
    let tokenizer = Tokenizer::new(WordLists::default());
    let tokens = tokenizer.tokens("Œil d’Été. x", &[]);
    let seen: Vec<_> = tokens.iter().map(|token| (token.kind, token.lemma.as_ref())).collect();
    use TokenKind::{HardSeparator, SoftSeparator, Word};
    let (soft, hard) = (SoftSeparator, HardSeparator);
    assert_eq!(
        seen,
        [
            (Word, "oeil"),
            (soft, " "),
            (Word, "d"),
            (soft, "'"),
            (Word, "ete"),
            (hard, ". "),
            (Word, "x"),
        ]
    );
    assert_eq!(tokens[0].char_map, Some(vec![(2, 2), (1, 1), (1, 1)]));
    assert_eq!(tokens[4].char_map, Some(vec![(2, 1), (1, 1), (2, 1)]));
    assert_eq!(tokens[6].char_map, None);
    assert_eq!((tokens[4].byte_start, tokens[4].byte_end), (9, 14));
}

#[test]
fn a_tokenizer_is_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Tokenizer::new(WordLists::default()));
}
