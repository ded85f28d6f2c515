//! Converts settings for the reference, which refuses what only this program supports.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use text::StopLanguage;

use crate::ranking_rule::RankingRule;
use crate::shape::sorted;
use crate::table::Setting;

/// Removes what the reference does not support. Stop words by language become plain words.
pub fn portable(settings: &Map<String, Value>) -> Map<String, Value> {
    let is_known = |name: &str| Setting::named(name).is_some_and(|setting| !setting.is_own);
    let known = settings.iter().filter(|(name, _)| is_known(name));
    let converted = known.map(|(name, value)| {
        let value = match (name.as_str(), value) {
            ("stopWords", Value::Object(stop_words)) => plain_stop_words(stop_words),
            ("rankingRules", Value::Array(rules)) => {
                rules.iter().filter(|rule| !is_own_rule(rule)).cloned().collect()
            }
            _ => value.clone(),
        };
        (name.clone(), value)
    });
    converted.collect()
}

fn is_own_rule(rule: &Value) -> bool {
    rule.as_str().and_then(RankingRule::parse).is_some_and(|rule| rule.is_own())
}

/// Expands stop words of languages. Plain stop words are case-sensitive, so each is also
/// capitalised.
fn plain_stop_words(stop_words: &Map<String, Value>) -> Value {
    let texts = |name: &str| {
        let list = stop_words.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str)
    };
    let languages: BTreeSet<StopLanguage> =
        texts("languages").filter_map(StopLanguage::parse).collect();
    let of_languages = languages.iter().flat_map(|language| language.words());
    let of_languages = of_languages.flat_map(|word| [capitalised(&word), word]);
    sorted(texts("words").map(ToOwned::to_owned).chain(of_languages))
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_unknown_to_the_reference_are_dropped_or_converted() {
        let settings = json!({
            "rankingRules": ["words", "bm25", "year:desc"],
            "stopWords": {"languages": ["en"], "words": ["sonde"]},
            "stemming": {"languages": ["en"]},
            "synonyms": {"a": ["b"]},
        });
        let portable = portable(settings.as_object().unwrap());
        assert_eq!(portable.keys().collect::<Vec<_>>(), ["rankingRules", "stopWords", "synonyms"]);
        assert_eq!(portable["rankingRules"], json!(["words", "year:desc"]));
        let stop_words = portable["stopWords"].as_array().unwrap();
        for word in ["The", "the", "sonde"] {
            assert!(stop_words.contains(&json!(word)), "{word}");
        }
        assert!(!stop_words.contains(&json!("Sonde")));
    }
}
