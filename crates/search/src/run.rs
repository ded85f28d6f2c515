//! A search from beginning to end: parse, find the documents that match, rank them.

use std::rc::Rc;

use index::Snapshot;
use roaring::RoaringBitmap;
use settings::{RankingRule, Settings};
use text::Language;

use crate::attributes;
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
        return Err(SearchError::UnknownRule(rule));
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
            words = crate::matching_words::collect(&context, &paths)?;
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
    match query.locales {
        Some(locales) => parse::parse(&context.tokenizer.tokens(text, locales), prefix_search),
        None => {
            let locales = locales_of_attributes(context, query);
            parse::parse(&context.tokenizer.tokens(text, &locales), prefix_search)
        }
    }
}

/// The languages of the attributes that are searched, where the settings give them some.
fn locales_of_attributes(context: &Context<'_>, query: &Query<'_>) -> Vec<Language> {
    let mut locales: Vec<Language> = Vec::new();
    let is_searched = |pattern: &str| match query.attributes {
        None => true,
        Some(wanted) => wanted.iter().any(|name| {
            attributes::matches_pattern(pattern, name) || attributes::matches_pattern(name, pattern)
        }),
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
        universe -= context.word_documents(word)?;
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
}
