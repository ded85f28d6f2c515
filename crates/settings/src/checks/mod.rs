//! The shapes of settings that have one of their own.

mod chat;
mod filterable;
mod ranking_rules;

use serde_json::{Map, Value, json};
use text::{StemLanguage, StopLanguage, locale};

pub(crate) use chat::CHAT;
pub(crate) use filterable::FILTERABLE_ATTRIBUTES;
pub use filterable::FILTERABLE_RULE;
pub(crate) use ranking_rules::{RANKING_RULES, check_attribute_rules};

use crate::error::SettingError;
use crate::shape::{Member, Shape, TEXTS, word};
use crate::values::FacetOrder;

/// Entries of `dictionary`, `separatorTokens` or `nonSeparatorTokens`. All of them form one
/// automaton, which every process that opens the index has to build.
const MOST_CUT_WORDS: usize = 100_000;

/// A list of words or separators for the tokenizer.
pub(crate) const CUT_WORDS: Shape =
    Shape::Checked(&TEXTS, |value, at| match value.as_array().map(Vec::len) {
        Some(count) if count > MOST_CUT_WORDS => {
            let reason = format!("it has {count} entries, and {MOST_CUT_WORDS} are the most");
            Err(SettingError::value(reason, at))
        }
        _ => Shape::Set.check(value, at),
    });

/// Stop words: a list, or an object with languages, words or both.
pub(crate) const STOP_WORDS: Shape =
    Shape::Checked(&Shape::Either(&TEXTS, &Shape::Object(STOP_WORD_MEMBERS)), |value, at| {
        let has_member = |sent: &Map<String, Value>| {
            STOP_WORD_MEMBERS.iter().any(|member| sent.contains_key(member.name))
        };
        // Any other object is refused in the words of the reference.
        if value.as_object().is_some_and(has_member) {
            return Shape::Object(STOP_WORD_MEMBERS).check(value, at);
        }
        Shape::Set.check(value, at)
    });

const STOP_WORD_MEMBERS: &[Member] = &[
    Member::optional("languages", STOP_LANGUAGES)
        .help("Codes of languages whose common stop words are added."),
    Member::optional("words", Shape::Set).help("Additional stop words."),
];

const STOP_LANGUAGES: Shape = Shape::List(&Shape::Checked(&Shape::Text, |value, at| {
    word(value, at, &StopLanguage::codes().collect::<Vec<_>>())
}));

pub(crate) const TYPO_TOLERANCE: Shape = Shape::Object(&[
    Member::resettable("enabled", Shape::Flag),
    Member::resettable("minWordSizeForTypos", TYPO_SIZES),
    Member::resettable("disableOnWords", Shape::Set),
    Member::resettable("disableOnAttributes", Shape::Set),
    Member::resettable("disableOnNumbers", Shape::Flag),
]);

const TYPO_SIZES: Shape = Shape::Checked(&TYPO_SIZE_MEMBERS, |value, at| {
    let sizes = TYPO_SIZE_MEMBERS.check(value, at)?;
    let size = |name: &str| sizes.get(name).and_then(Value::as_u64);
    if let (Some(one), Some(two)) = (size("oneTypo"), size("twoTypos")) {
        check_typo_sizes(one, two).map_err(|reason| SettingError::value(reason, at))?;
    }
    Ok(sizes)
});

const TYPO_SIZE_MEMBERS: Shape = Shape::Object(&[
    Member::resettable("oneTypo", Shape::Byte),
    Member::resettable("twoTypos", Shape::Byte),
]);

/// Compares both sizes: when both are sent, and again with the stored values.
pub(crate) fn check_typo_sizes(one_typo: u64, two_typos: u64) -> Result<(), String> {
    if one_typo <= two_typos {
        return Ok(());
    }
    // The unpaired backquote is part of the recorded message.
    Err(format!(
        "`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be \
         between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found \
         `oneTypo: {one_typo}` and twoTypos: {two_typos}`."
    ))
}

pub(crate) const FACETING: Shape = Shape::Object(&[
    Member::resettable("maxValuesPerFacet", Shape::Integer),
    Member::resettable("sortFacetValuesBy", Shape::Dictionary(&Shape::Word(FacetOrder::NAMES)))
        .help("`*` for others."),
]);

pub(crate) const PAGINATION: Shape =
    Shape::Object(&[Member::resettable("maxTotalHits", Shape::Positive)]);

pub(crate) const LOCALIZED_ATTRIBUTES: Shape = Shape::List(&Shape::Object(&[
    Member::mandatory("attributePatterns", TEXTS),
    Member::mandatory("locales", LOCALES).help("Language codes. Empty allows any language."),
]));

const LOCALES: Shape = Shape::List(&Shape::Checked(&Shape::Text, |value, at| {
    word(value, at, &locale::codes().collect::<Vec<_>>())
}));

/// Stands for the detected languages of the documents.
pub(crate) const AUTO: &str = "auto";

pub(crate) const STEMMING: Shape = Shape::Object(&[
    Member::or_default("attributes", TEXTS, || json!(["*"]))
        .help("Attributes or patterns. Defaults to all attributes."),
    Member::or_default("languages", STEM_LANGUAGES, || json!([AUTO]))
        .help("Language codes, or `auto` to detect them."),
    Member::or_default("exceptions", EXCEPTIONS, || json!({}))
        .help("Stems of words that deviate from the stemmer."),
]);

const STEM_LANGUAGES: Shape = Shape::List(&Shape::Checked(&Shape::Text, |value, at| {
    word(value, at, &std::iter::once(AUTO).chain(StemLanguage::codes()).collect::<Vec<_>>())
}));

/// Limit of stem exceptions; searches hold all of them in memory.
const MOST_EXCEPTIONS: usize = 10_000;

const EXCEPTIONS: Shape =
    Shape::Checked(&WORDS_BY_WORD, |value, at| match value.as_object().map(Map::len) {
        Some(count) if count > MOST_EXCEPTIONS => {
            let reason = format!("it has {count} entries, and {MOST_EXCEPTIONS} are the most");
            Err(SettingError::value(reason, at))
        }
        _ => WORDS_BY_WORD.check(value, at),
    });

const WORDS_BY_WORD: Shape = Shape::Dictionary(&Shape::Text);

pub(crate) const FOREIGN_KEYS: Shape = Shape::List(&Shape::Object(&[
    Member::mandatory("foreignIndexUid", Shape::Text),
    Member::mandatory("fieldName", Shape::Text),
]));
