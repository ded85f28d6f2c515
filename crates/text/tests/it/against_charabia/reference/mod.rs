//! Charabia driven as the baseline drives it: one builder with the user's lists, nothing of this
//! crate. Tests compare every token with it.

use charabia::separators::DEFAULT_SEPARATORS;
use charabia::{SeparatorKind, TokenizerBuilder};
use text::{Language, Scratch, TokenKind, Tokenizer, WordEvent, WordLists};

/// A token in a form that can be compared.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub kind: TokenKind,
    pub lemma: String,
    pub original: String,
    pub char_map: Option<Vec<(u8, u8)>>,
}

/// Charabia and this crate with the same lists.
#[derive(Debug)]
pub struct Pair {
    pub tokenizer: Tokenizer,
    plain: charabia::Tokenizer<'static>,
    mapped: charabia::Tokenizer<'static>,
}

impl Pair {
    pub fn new(lists: WordLists) -> Self {
        let tokenizer = Tokenizer::new(lists.clone());
        Self { tokenizer, plain: built(&lists, false), mapped: built(&lists, true) }
    }

    pub fn expected(&self, text: &str, languages: &[Language]) -> Vec<Seen> {
        let allowed = if languages.is_empty() { None } else { Some(languages) };
        // Documents are read without a map, and in Swedish that makes a difference.
        let plain = self.plain.tokenize_with_allow_list(text, allowed);
        let mapped = self.mapped.tokenize_with_allow_list(text, allowed);
        plain
            .zip(mapped)
            .map(|(token, mapped)| {
                let original = text[token.byte_start..token.byte_end].to_owned();
                let lemma = token.lemma.into_owned();
                let char_map = tidy(mapped.char_map, &original, &lemma);
                Seen { kind: kind(token.kind), char_map, lemma, original }
            })
            .collect()
    }
}

/// Charabia only borrows its lists; a test may leave them behind.
fn built(lists: &WordLists, with_map: bool) -> charabia::Tokenizer<'static> {
    let leak = |words: Vec<String>| -> &'static [&'static str] {
        let words: Vec<&'static str> = words.into_iter().map(|word| &*word.leak()).collect();
        words.leak()
    };
    let mut builder = TokenizerBuilder::new();
    builder.create_char_map(with_map);
    if !lists.stop_words.is_empty() {
        builder.stop_words(Box::leak(Box::new(fst::Set::from_iter(&lists.stop_words).unwrap())));
    }
    if !lists.dictionary.is_empty() {
        builder.words_dict(leak(lists.dictionary.iter().cloned().collect()));
    }
    if !lists.separators.is_empty() || !lists.non_separators.is_empty() {
        let default = DEFAULT_SEPARATORS.iter().map(|separator| (*separator).to_owned());
        let all = default.chain(lists.separators.iter().cloned());
        builder.separators(leak(all.filter(|s| !lists.non_separators.contains(s)).collect()));
    }
    builder.into_tokenizer()
}

pub fn seen(text: &str, tokenizer: &Tokenizer, languages: &[Language]) -> Vec<Seen> {
    let tokens = tokenizer.tokens(text, languages);
    let mut end = 0;
    let mut seen = Vec::new();
    for token in tokens {
        assert_eq!(token.byte_start, end, "tokens cover the text");
        end = token.byte_end;
        let original = text[token.byte_start..token.byte_end].to_owned();
        let lemma = token.lemma.into_owned();
        if let Some(map) = &token.char_map {
            assert!(covers(map, &original, &lemma), "{original:?} {lemma:?} {map:?}");
        }
        seen.push(Seen { kind: token.kind, char_map: token.char_map, lemma, original });
    }
    assert_eq!(end, text.len(), "tokens cover the text");
    seen
}

/// The events that follow from tokens by the rules of positions.
pub fn events(tokens: &[Seen]) -> Vec<String> {
    let mut events = Vec::new();
    let mut hard = false;
    for token in tokens {
        match token.kind {
            TokenKind::HardSeparator => hard = true,
            TokenKind::SoftSeparator => {}
            _ if token.lemma.is_empty() => {}
            kind => {
                if hard && !events.is_empty() {
                    events.push("<gap>".to_owned());
                }
                hard = false;
                let word = token.lemma.trim();
                let skipped = kind == TokenKind::StopWord || word.is_empty();
                events.push(if skipped { "<skip>".to_owned() } else { word.to_owned() });
            }
        }
    }
    events
}

pub fn seen_events(text: &str, tokenizer: &Tokenizer, languages: &[Language]) -> Vec<String> {
    let mut events = Vec::new();
    tokenizer.for_each_word(text, languages, &mut Scratch::default(), |event| {
        events.push(match event {
            WordEvent::Word(word) => word.to_owned(),
            WordEvent::Skip => "<skip>".to_owned(),
            WordEvent::Gap => "<gap>".to_owned(),
        });
    });
    events
}

fn kind(kind: charabia::TokenKind) -> TokenKind {
    match kind {
        charabia::TokenKind::StopWord => TokenKind::StopWord,
        charabia::TokenKind::Separator(SeparatorKind::Hard) => TokenKind::HardSeparator,
        charabia::TokenKind::Separator(SeparatorKind::Soft) => TokenKind::SoftSeparator,
        charabia::TokenKind::Word | charabia::TokenKind::Unknown => TokenKind::Word,
    }
}

fn covers(map: &[(u8, u8)], original: &str, lemma: &str) -> bool {
    let sum = |lengths: Vec<u8>| lengths.into_iter().map(usize::from).sum::<usize>();
    let (before, after) = map.iter().copied().unzip();
    sum(before) == original.len() && sum(after) == lemma.len()
}

/// Charabia keeps some maps that say nothing.
fn tidy(map: Option<Vec<(u8, u8)>>, original: &str, lemma: &str) -> Option<Vec<(u8, u8)>> {
    let lengths = |text: &str| text.chars().map(char::len_utf8).collect::<Vec<_>>();
    map.filter(|_| lengths(original) != lengths(lemma))
}

/// In Swedish charabia's map may leave characters out or belong to another lemma.
pub fn forget_broken_maps(expected: &mut [Seen], seen: &mut [Seen]) {
    for (expected, seen) in expected.iter_mut().zip(seen) {
        let map = expected.char_map.as_deref();
        if map.is_some_and(|map| !covers(map, &expected.original, &expected.lemma)) {
            expected.char_map = None;
            seen.char_map = None;
        }
    }
}
