//! A search from beginning to end: parse, find the documents that match, rank them.

use std::borrow::Cow;
use std::rc::Rc;

use index::Snapshot;
use roaring::RoaringBitmap;
use settings::{RankingRule, Settings, pattern};
use text::Language;

use crate::context::{Context, Source};
use crate::graph;
use crate::parse::{self, ParsedQuery};
use crate::query::{Found, Hit, Query, SearchError};
use crate::ranking::{self, Ranked, Wanted};
use crate::removal::{self, matching_documents};
use crate::score;
use crate::synonyms::Synonyms;

/// Finds and ranks the documents of one state of an index.
pub fn run(snapshot: &Snapshot, query: &Query<'_>) -> Result<Found, SearchError> {
    let settings = snapshot.typed_settings();
    refuse_unbuilt(settings)?;
    let synonyms = snapshot.derived(|settings| Synonyms::new(settings, snapshot.tokenizer()));
    let source = Source {
        segments: snapshot
            .segments()
            .iter()
            .map(|segment| (segment.text(), segment.deleted()))
            .collect(),
        live: snapshot.live(),
        settings,
        tokenizer: snapshot.tokenizer(),
        synonyms: &synonyms,
    };
    run_on(&source, query)
}

/// What reads the values of attributes is not built yet; an answer without it would be wrong.
fn refuse_unbuilt(settings: &Settings) -> Result<(), SearchError> {
    let custom = settings.ranking_rules.iter().find_map(|rule| match rule {
        RankingRule::Asc(attribute) => Some(format!("{attribute}:asc")),
        RankingRule::Desc(attribute) => Some(format!("{attribute}:desc")),
        _ => None,
    });
    if let Some(rule) = custom {
        return Err(SearchError::UnbuiltRule(rule));
    }
    match &settings.distinct_attribute {
        Some(attribute) => Err(SearchError::Distinct(attribute.clone())),
        None => Ok(()),
    }
}

pub(crate) fn run_on<'s>(source: &Source<'s>, query: &Query<'s>) -> Result<Found, SearchError> {
    let context = Context::new(source, query)?;
    let parsed = parse_query(&context, query);
    let universe = without_unwanted(&context, &parsed)?;
    let wanted = Wanted {
        offset: query.offset,
        limit: query.limit,
        exhaustive: query.exhaustive && query.threshold.is_some(),
        threshold: query.threshold,
        with_scores: query.with_scores || query.threshold.is_some(),
    };

    let mut words = crate::MatchingWords::default();
    let (candidates, ranked) = if parsed.terms.is_empty() {
        let universe = universe.unwrap_or_else(|| context.live.clone());
        let ranked = ranking::rank(&context, &[], Rc::default(), universe.clone(), wanted)?;
        (universe, ranked)
    } else {
        let paths = graph::interpretations(&context, &parsed)?;
        let removable = removal::removable(&context, &paths, query.strategy)?;
        let candidates =
            matching_documents(&context, &paths, &removable, query.strategy, universe.as_ref())?;
        if query.with_words {
            words = crate::matching_words::collect(&context, &paths);
        }
        let steps = ranking::steps(&context.settings.ranking_rules, query.strategy);
        let ranked = ranking::rank(&context, &steps, Rc::new(paths), candidates.clone(), wanted)?;
        (candidates, ranked)
    };
    Ok(found(query, candidates, ranked, words))
}

fn parse_query(context: &Context<'_>, query: &Query<'_>) -> ParsedQuery {
    let text = query.text.unwrap_or_default();
    let prefix_search = context.settings.prefix_search != settings::PrefixSearch::Disabled;
    let locales = match query.locales {
        Some(locales) => Cow::Borrowed(locales),
        None => Cow::Owned(locales_of_attributes(context, query)),
    };
    parse::parse(&context.tokenizer.tokens(text, &locales), prefix_search)
}

/// The languages of the attributes that are searched, where the settings give them some.
fn locales_of_attributes(context: &Context<'_>, query: &Query<'_>) -> Vec<Language> {
    let mut locales: Vec<Language> = Vec::new();
    let is_searched = |pattern: &str| match query.attributes {
        None => true,
        Some(wanted) => wanted
            .iter()
            .any(|name| pattern::matches(pattern, name) || pattern::matches(name, pattern)),
    };
    for rule in &context.settings.localized_attributes {
        if rule.attribute_patterns.iter().any(|pattern| is_searched(pattern)) {
            for locale in &rule.locales {
                if !locales.contains(locale) {
                    locales.push(*locale);
                }
            }
        }
    }
    locales
}

/// All documents but those that hold what the query rules out; none when it rules out nothing.
fn without_unwanted(
    context: &Context<'_>,
    parsed: &ParsedQuery,
) -> Result<Option<RoaringBitmap>, SearchError> {
    if parsed.unwanted_words.is_empty() && parsed.unwanted_phrases.is_empty() {
        return Ok(None);
    }
    let mut universe = context.live.clone();
    for word in &parsed.unwanted_words {
        universe -= &*context.word_documents(word)?;
    }
    for phrase in &parsed.unwanted_phrases {
        universe -= &*context.phrase_documents(phrase)?;
    }
    Ok(Some(universe))
}

fn found(
    query: &Query<'_>,
    mut candidates: RoaringBitmap,
    ranked: Ranked,
    words: crate::MatchingWords,
) -> Found {
    candidates -= ranked.rejected;
    let hits = ranked
        .documents
        .into_iter()
        .map(|(doc_id, scores)| Hit {
            doc_id,
            score: score::ranking_score(&scores),
            details: if query.with_scores { score::details(&scores) } else { Default::default() },
        })
        .collect();
    Found { hits, candidates, words, degraded: ranked.degraded }
}

#[cfg(test)]
mod tests {
    use settings::{RankingRule, Settings};

    use crate::query::Strategy;
    use crate::testing::{TestIndex, one_attribute};

    #[test]
    fn fewer_words_come_later() {
        let index = TestIndex::of_texts(
            one_attribute(),
            &["amber tide song", "amber tide", "amber song", "tide song", "amber"],
        );
        assert_eq!(
            index.ranked("amber tide song"),
            [(1, 1.0), (2, 0.6667), (5, 0.3333), (3, 0.3283)]
        );
    }

    #[test]
    fn typos_come_later() {
        let words = [
            "harvester",
            "harvestor",
            "havrester",
            "harvesturs",
            "garvester",
            "garvestor",
            "harvesters",
        ];
        let index = TestIndex::of_texts(one_attribute(), &words);
        let expected = [(1, 1.0), (2, 0.6414), (3, 0.6414), (7, 0.6414), (4, 0.3081), (5, 0.3081)];
        assert_eq!(index.ranked("harvester "), expected);
    }

    #[test]
    fn words_are_joined_and_split() {
        let texts = ["moon light", "moonlight", "moonlights", "light moon", "moon of light"];
        let index = TestIndex::of_texts(one_attribute(), &texts);
        let order: Vec<u32> = index.ranked("moon light ").iter().map(|(id, _)| *id).collect();
        assert_eq!(order, [1, 5, 4, 2, 3]);
        let order: Vec<u32> = index.ranked("moonlight ").iter().map(|(id, _)| *id).collect();
        assert_eq!(order, [2, 1, 3]);
    }

    #[test]
    fn exactness_comes_last() {
        let texts = ["red lamp", "red lamp post", "old red lamp", "red lamps", "lamp red"];
        let index = TestIndex::of_texts(one_attribute(), &texts);
        let expected = [(1, 1.0), (2, 0.9993), (4, 0.9985), (3, 0.9947), (5, 0.953)];
        assert_eq!(index.ranked("red lamp"), expected);
    }

    fn by_rules(rules: &[RankingRule], texts: &[&str]) -> TestIndex {
        let settings = Settings { ranking_rules: rules.to_vec(), ..one_attribute() };
        TestIndex::of_texts(settings, texts)
    }

    fn order(index: &TestIndex, text: &str, strategy: Strategy) -> Vec<u32> {
        index.find(text, strategy).hits.iter().map(|hit| hit.doc_id).collect()
    }

    #[test]
    fn bm25_prefers_rare_words_short_fields_and_repetition() {
        let texts = [
            "the old mill by the river and the road to the town",
            "mill mill river",
            "the the the the",
            "mill by the river",
            "otter",
        ];
        let index = by_rules(&[RankingRule::Bm25], &texts);
        assert_eq!(order(&index, "the mill otter ", Strategy::Any), [5, 4, 1, 3, 2]);
        let found = index.find("the mill otter ", Strategy::Any);
        assert!(found.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
        assert_eq!(found.hits[0].details["bm25"]["order"], 0);
        // Without `any` the first term is needed.
        assert_eq!(order(&index, "otter mill ", Strategy::Last), [5]);
    }

    #[test]
    fn bm25_counts_a_term_once_whatever_the_rules_before_it_left_of_it() {
        let mut texts = vec![
            "alpha bravo charlie",
            "alphx bravo charlie",
            "alpha bravx charlie",
            "alpha bravx charlie charlie charlie",
            "alphx bravo charlie charlie charlie",
        ];
        texts.extend(["delta"; 30]);
        let after_typo = [RankingRule::Words, RankingRule::Typo, RankingRule::Bm25];
        let index = by_rules(&after_typo, &texts);
        let ranked = order(&index, "alpha bravo charlie ", Strategy::All);
        assert_eq!(ranked[0], 1);
        let mut with_repetition = ranked[1..3].to_vec();
        with_repetition.sort_unstable();
        assert_eq!(with_repetition, [4, 5]);
    }

    #[test]
    fn any_needs_one_term_and_counts_those_that_are_there() {
        let texts = ["red lamp", "lamp", "red", "blue", "green tea cup"];
        let index = TestIndex::of_texts(one_attribute(), &texts);
        let found = index.find("red lamp ", Strategy::Any);
        let words: Vec<(u32, u64, u64)> = found
            .hits
            .iter()
            .map(|hit| {
                let count = |name: &str| hit.details["words"][name].as_u64().unwrap_or(0);
                (hit.doc_id, count("matchingWords"), count("maxMatchingWords"))
            })
            .collect();
        assert_eq!(words, [(1, 2, 2), (3, 1, 2), (2, 1, 2)]);
        let found = index.find("\"green tea\" lamp ", Strategy::Any);
        let counts = found.hits.iter().map(|hit| &hit.details["words"]["matchingWords"]);
        assert!(counts.eq([1, 1, 1].iter()), "{:?}", found.hits);
    }

    #[test]
    fn a_synonym_list_is_used_up_to_its_limit() {
        let mut settings = one_attribute();
        let values = (0..100_000).map(|number| format!("word{number} more")).collect();
        settings.synonyms.insert("dog".to_owned(), values);
        let index = TestIndex::of_texts(settings, &["word0 more", "word49 more", "word70 more"]);
        let started = std::time::Instant::now();
        assert_eq!(order(&index, "dog ", Strategy::Last), [1, 2]);
        assert!(started.elapsed().as_millis() < 500);
    }
}
