//! A search from beginning to end: parse, match, rank.

use std::borrow::Cow;
use std::rc::Rc;

use index::Snapshot;
use roaring::RoaringBitmap;
use segment::DocId;
use settings::{RankingRule, pattern};
use text::Language;

use crate::boosts::{self, BoostUse, Boosts};
use crate::context::Context;
use crate::distinct::{self, Distinct};
use crate::error::SearchError;
use crate::found::{Hit, SearchResults};
use crate::graph::Path;
use crate::parse::{self, MAX_TERMS, ParsedQuery, TermLimits};
use crate::pins::{self, Pin};
use crate::query::Query;
use crate::ranking::{self, RankWindow};
use crate::rules::RuleInput;
use crate::score::Score;
use crate::steps::Relevance;
use crate::strategy::Strategy;
use crate::term_dropping::{self, matching_documents};
use crate::{filtering, graph, sort, steps};

/// Finds and ranks the documents of one state of an index.
pub fn run(snapshot: &Snapshot, query: &Query<'_>) -> Result<SearchResults, SearchError> {
    Ok(search(snapshot, query)?.into_found(query))
}

/// The documents that were found, with the scores of each rule.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Ranked documents of the window that the pins leave.
    pub documents: Vec<(DocId, Vec<Score>)>,
    /// Number of ranked documents before these.
    pub before: usize,
    /// The pins that take effect. No pin is among the documents.
    pub pins: Vec<Pin>,
    pub candidates: RoaringBitmap,
    pub words: crate::MatchingWords,
    pub degraded: bool,
}

impl Outcome {
    /// Returns the hits in the window of a query, including pins.
    pub fn into_found(self, query: &Query<'_>) -> SearchResults {
        let count = match self.documents.len() {
            // The window is not full: the ranking has reached the last document.
            0 => (self.candidates.len() as usize).saturating_sub(self.pins.len()).min(self.before),
            found => self.before + found,
        };
        let ranked = pins::RankedSlice { part: self.documents, before: self.before, count };
        let pinned = self.pins.iter();
        let pinned = pinned.map(|pin| (pin.position, (pin.doc_id, vec![Score::Pin(*pin)])));
        let placed = pins::place(ranked, pinned.collect(), query.window());
        let hits: Vec<Hit> =
            placed.into_iter().map(|(doc_id, scores)| Hit::new(doc_id, scores)).collect();
        let semantic = hits.iter().filter(|hit| hit.is_semantic()).count();
        SearchResults {
            hits,
            candidates: self.candidates,
            words: self.words,
            semantic_hits: semantic,
            degraded: self.degraded,
        }
    }
}

pub(crate) fn search(snapshot: &Snapshot, query: &Query<'_>) -> Result<Outcome, SearchError> {
    let settings = snapshot.typed_settings();
    let deadline = Some(query.deadline);
    let context = Context::new(snapshot, query.attributes(), deadline, query.cancel)?;
    let parsed = parse_query(&context, query);
    let attribute_weights = query.criteria.attribute_weights.as_ref();
    let mut input = RuleInput { attribute_weights, ..RuleInput::default() };
    if query.criteria.matching_strategy != Strategy::Any && parsed.terms.len() > MAX_TERMS {
        input.further_terms = Rc::new(graph::question(&context, &parsed.terms, MAX_TERMS)?);
    }
    let distinct = distinct::attribute(settings, query.criteria.distinct.as_deref())?;
    let filtered = query
        .filter
        .map(|filter| filtering::matching(snapshot, filter, query.cancel))
        .transpose()?;
    sort::check(settings, query.sort)?;
    let is_semantic = query.vector.is_some() || query.is_hybrid;
    boosts::check(settings, query.boosts, attribute_weights, is_semantic)?;
    let mut distinct = distinct.map(|attribute| Distinct::new(&context, attribute)).transpose()?;
    let pins = pins::effective(query.pins, filtered.as_ref(), distinct.as_mut())?;

    let matching = if let Some(vector) = query.vector {
        // Every document is more or less near to a vector; the words that the text excludes still
        // apply.
        let candidates = without_unwanted(&context, &parsed, filtered)?;
        Matching::everything(&context, candidates, Relevance::Vector(vector))
    } else {
        matching(&context, query, &parsed, &input.further_terms, filtered)?
    };
    let boosting = query.boosts.filter(|boosting| !boosting.boosts.is_empty());
    let steps =
        steps::steps(&settings.ranking_rules, query.sort, matching.relevance, boosting.is_some());
    if let Some(boosting) = boosting
        && let Some(used) = ranking::use_of_boosts(&steps, is_semantic)
    {
        input.boosts = Some(Rc::new(Boosts::new(&context, snapshot, boosting, used)?));
    }
    let shown = pins::ranked_window(&pins, query.window());
    let threshold = query.criteria.ranking_score_threshold;
    let window = RankWindow {
        offset: shown.start,
        limit: shown.len(),
        exhaustive: query.exhaustive && threshold.is_some(),
        threshold,
        with_scores: query.with_scores || threshold.is_some(),
    };
    let window = match &input.boosts {
        Some(boosts) => {
            ranking::widened(boosts, window, &matching.candidates, query.vector.is_some())
        }
        None => window,
    };
    let mut universe = matching.candidates.clone();
    for pin in &pins {
        universe.remove(pin.doc_id);
    }
    let paths = matching.paths;
    let mut ranked = ranking::rank(&context, &input, &steps, paths, universe, window, distinct)?;
    if let Some(boosts) = &input.boosts {
        match boosts.used {
            BoostUse::Reorder => {
                ranking::order_by_boosts(&context, boosts, &mut ranked, threshold, &shown)?;
            }
            BoostUse::Rule | BoostUse::Bm25 if window.with_scores => {
                boosts::explain(&context, boosts, &mut ranked.documents)?;
            }
            BoostUse::Rule | BoostUse::Bm25 => {}
        }
    }
    let mut candidates = matching.candidates - ranked.rejected;
    candidates.extend(pins.iter().map(|pin| pin.doc_id));
    if let Some(distinct) = ranked.distinct {
        candidates = distinct.apply(&context, candidates, query.exhaustive)?;
    }
    let (documents, degraded) = (ranked.documents, ranked.degraded);
    let before = shown.start;
    Ok(Outcome { documents, before, pins, candidates, words: matching.words, degraded })
}

/// The matching documents, and the interpretations of the query.
struct Matching<'q> {
    candidates: RoaringBitmap,
    paths: Rc<Vec<Path>>,
    words: crate::MatchingWords,
    relevance: Relevance<'q>,
}

impl<'q> Matching<'q> {
    fn everything(
        context: &Context<'_>,
        filtered: Option<RoaringBitmap>,
        relevance: Relevance<'q>,
    ) -> Self {
        let candidates = filtered.unwrap_or_else(|| context.live.clone());
        Self { candidates, paths: Rc::default(), words: Default::default(), relevance }
    }
}

/// Interprets the words of a query and finds the documents that match.
fn matching(
    context: &Context<'_>,
    query: &Query<'_>,
    parsed: &ParsedQuery,
    further_terms: &Path,
    filtered: Option<RoaringBitmap>,
) -> Result<Matching<'static>, SearchError> {
    let universe = without_unwanted(context, parsed, filtered)?;
    if parsed.terms.is_empty() {
        return Ok(Matching::everything(context, universe, Relevance::None));
    }
    let strategy = query.criteria.matching_strategy;
    let paths = graph::interpretations(context, parsed, strategy)?;
    let droppable = term_dropping::droppable(context, &paths, strategy)?;
    let candidates = matching_documents(context, &paths, &droppable, strategy, universe.as_ref())?;
    let words = match query.with_words {
        true => crate::matching_words::collect(context, &paths, further_terms),
        false => Default::default(),
    };
    let relevance = Relevance::Words(strategy);
    Ok(Matching { candidates, paths: Rc::new(paths), words, relevance })
}

/// Returns the documents that a search finds, as its total counts them, without the hits. It ranks
/// only if the ranking decides which documents count, and not if all of them are to be found.
pub fn candidates(
    snapshot: &Snapshot,
    query: &Query<'_>,
    exhaustive: bool,
) -> Result<RoaringBitmap, SearchError> {
    let settings = snapshot.typed_settings();
    let has_distinct =
        query.criteria.distinct.as_deref().or(settings.distinct_attribute.as_deref()).is_some();
    let depends_on_ranking =
        query.criteria.ranking_score_threshold.is_some() || has_distinct && !exhaustive;
    let limit = if depends_on_ranking { query.limit } else { 0 };
    Ok(run(snapshot, &Query { limit, exhaustive, with_scores: false, ..query.clone() })?.candidates)
}

fn parse_query(context: &Context<'_>, query: &Query<'_>) -> ParsedQuery {
    parse_text(context, query, query.text.unwrap_or_default())
}

/// Parses a text like the text of the query.
pub(crate) fn parse_text(context: &Context<'_>, query: &Query<'_>, text: &str) -> ParsedQuery {
    let prefix_search = context.settings.prefix_search != settings::PrefixSearch::Disabled;
    let limits = match query.criteria.matching_strategy {
        Strategy::Any => TermLimits::ANY,
        _ if context.settings.ranking_rules.contains(&RankingRule::Bm25) => TermLimits::WITH_BM25,
        _ => TermLimits::REFERENCE,
    };
    let locales = locales_of(context, query);
    parse::parse(&context.tokenizer.tokens(text, &locales), prefix_search, limits)
}

/// Returns the languages of a query's text.
pub(crate) fn locales_of<'q>(context: &Context<'_>, query: &'q Query<'_>) -> Cow<'q, [Language]> {
    match query.criteria.locales.as_deref() {
        Some(locales) => Cow::Borrowed(locales),
        None => Cow::Owned(locales_of_attributes(context, query.attributes())),
    }
}

/// Returns the languages of the searched attributes, if the settings define some.
pub(crate) fn locales_of_attributes(
    context: &Context<'_>,
    attributes: Option<&[String]>,
) -> Vec<Language> {
    let mut locales: Vec<Language> = Vec::new();
    let is_searched = |pattern: &str| match attributes {
        None => true,
        Some(names) => names
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

/// Returns the filtered documents without those that contain excluded words; `None` if all count.
pub(crate) fn without_unwanted(
    context: &Context<'_>,
    parsed: &ParsedQuery,
    filtered: Option<RoaringBitmap>,
) -> Result<Option<RoaringBitmap>, SearchError> {
    if parsed.unwanted_words.is_empty() && parsed.unwanted_phrases.is_empty() {
        return Ok(filtered);
    }
    let mut universe = filtered.unwrap_or_else(|| context.live.clone());
    for word in &parsed.unwanted_words {
        universe -= &*context.word_documents(word)?;
    }
    for phrase in &parsed.unwanted_phrases {
        universe -= &*context.phrase_documents(phrase)?;
    }
    Ok(Some(universe))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use testkit::takes_at_most;

    use crate::strategy::Strategy;
    use crate::testing::{TestIndex, one_attribute};

    fn ranked(index: &TestIndex, text: &str) -> Vec<(u64, f64)> {
        index.find(text, Strategy::Last).ranked()
    }

    #[test]
    fn fewer_words_come_later() {
        let index = TestIndex::of_texts(
            one_attribute(),
            &["amber tide song", "amber tide", "amber song", "tide song", "amber"],
        );
        assert_eq!(
            ranked(&index, "amber tide song"),
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
        assert_eq!(ranked(&index, "harvester "), expected);
    }

    #[test]
    fn words_are_joined_and_split() {
        let texts = ["moon light", "moonlight", "moonlights", "light moon", "moon of light"];
        let index = TestIndex::of_texts(one_attribute(), &texts);
        assert_eq!(order(&index, "moon light ", Strategy::Last), [1, 5, 4, 2, 3]);
        assert_eq!(order(&index, "moonlight ", Strategy::Last), [2, 1, 3]);
    }

    #[test]
    fn exactness_comes_last() {
        let texts = ["red lamp", "red lamp post", "old red lamp", "red lamps", "lamp red"];
        let index = TestIndex::of_texts(one_attribute(), &texts);
        let expected = [(1, 1.0), (2, 0.9993), (4, 0.9985), (3, 0.9947), (5, 0.953)];
        assert_eq!(ranked(&index, "red lamp"), expected);
    }

    #[test]
    fn weights_too_large_for_a_key_are_told_apart() {
        let names: Vec<String> = (0..500).map(|number| format!("a{number}")).collect();
        let words = "one two three four five six seven eight nine ten";
        let documents = [json!({ "id": 1, "a480": words }), json!({ "id": 2, "a450": words })];
        let index = TestIndex::new(json!({ "searchableAttributes": names }), &documents);
        let query = format!("{words} ");
        assert_eq!(order(&index, &query, Strategy::All), [2, 1]);
    }

    fn by_rules(rules: &[&str], texts: &[&str]) -> TestIndex {
        let settings = json!({ "searchableAttributes": ["t"], "rankingRules": rules });
        TestIndex::of_texts(settings, texts)
    }

    fn order(index: &TestIndex, text: &str, strategy: Strategy) -> Vec<u64> {
        index.find(text, strategy).ids()
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
        let index = by_rules(&["bm25"], &texts);
        assert_eq!(order(&index, "the mill otter ", Strategy::Any), [5, 4, 1, 3, 2]);
        let found = index.find("the mill otter ", Strategy::Any).found;
        assert!(found.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
        assert_eq!(found.hits[0].details()["bm25"]["order"], 0);
        // Without `any` the first term is needed.
        assert_eq!(order(&index, "otter mill ", Strategy::Last), [5]);
    }

    #[test]
    fn bm25_counts_a_term_once_after_any_rules() {
        let mut texts = vec![
            "alpha bravo charlie",
            "alphx bravo charlie",
            "alpha bravx charlie",
            "alpha bravx charlie charlie charlie",
            "alphx bravo charlie charlie charlie",
        ];
        texts.extend(["delta"; 30]);
        let index = by_rules(&["words", "typo", "bm25"], &texts);
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
        let answer = index.find("red lamp ", Strategy::Any);
        assert_eq!(answer.ids(), [1, 3, 2]);
        assert_eq!(answer.details("/words/matchingWords"), [2, 1, 1]);
        assert_eq!(answer.details("/words/maxMatchingWords"), [2, 2, 2]);
        let answer = index.find("\"green tea\" lamp ", Strategy::Any);
        assert_eq!(answer.details("/words/matchingWords"), [1, 1, 1]);
    }

    #[test]
    fn long_questions_rank_by_how_many_of_their_words_are_there() {
        let words: Vec<String> = (0..40).map(|number| format!("word{number}a")).collect();
        let question = format!("{} word3a \"green tea\" ", words.join(" "));
        // Each document has the last `count` of the words; or the phrase.
        let mut texts: Vec<String> = (1..=40).map(|count| words[40 - count..].join(" ")).collect();
        texts.extend(["a green tea".to_owned(), "tea green".to_owned()]);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let index = TestIndex::of_texts(one_attribute(), &texts);
        let answer = index.run(|query| {
            (query.text, query.criteria.to_mut().matching_strategy) =
                (Some(question.as_str()), Strategy::Any);
            query.limit = 100;
        });
        let answer = answer.unwrap();
        let expected: Vec<u64> = (2..=40).rev().collect();
        let ids = answer.ids();
        assert_eq!(ids[..39], expected);
        assert_eq!(ids.len(), 41, "{ids:?}");
        assert!(ids[39..].contains(&1) && ids[39..].contains(&41), "{ids:?}");
        let counts: Vec<u64> = answer
            .details("/words/matchingWords")
            .iter()
            .map(|count| count.as_u64().unwrap())
            .collect();
        assert_eq!(counts, (2..=40).rev().chain([1, 1]).collect::<Vec<u64>>());
        assert_eq!(answer.details("/words/maxMatchingWords")[0], 41);
        assert!(answer.found.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn words_of_long_and_short_questions_count_alike_in_ties() {
        let unknown: Vec<String> = (0..20).map(|number| format!("unknown{number}")).collect();
        let question = format!("amber tide {} ", unknown.join(" "));
        let texts = ["tide far from it amber", "filler filler filler amber tide", "amber tide"];
        let index = TestIndex::of_texts(one_attribute(), &texts);
        assert_eq!(order(&index, &question, Strategy::Any), [3, 2, 1]);
    }

    #[test]
    fn a_synonym_list_is_used_up_to_its_limit() {
        let values: Value = (0..100_000).map(|number| format!("word{number} more")).collect();
        let settings = json!({ "searchableAttributes": ["t"], "synonyms": { "dog": values } });
        let index = TestIndex::of_texts(settings, &["word0 more", "word49 more", "word70 more"]);
        let limit = std::time::Duration::from_secs(10);
        let order = takes_at_most(limit, || order(&index, "dog ", Strategy::Last));
        assert_eq!(order, [1, 2]);
    }
}
