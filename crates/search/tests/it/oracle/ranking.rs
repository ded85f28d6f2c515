//! Applies the rules one after another.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Dropping;
use super::buckets::buckets;
use super::details::{self, Entry, RankPart};
use super::doc_set::DocSet;
use super::exact_attribute::{AttributeMatch, attribute_match};
use super::fields::{FieldScope, SearchedFields};
use super::index::ModelIndex;
use super::nodes::Search;
use super::paths::{Path, droppable, interpretations};
use super::query::{ParsedQuery, parse};
use super::rules::Rule;
use super::sort::Criterion;

#[derive(Debug, Clone, Default)]
pub struct Question<'q> {
    pub text: &'q str,
    pub dropping: Dropping,
    /// `attributesToSearchOn`.
    pub attributes: Option<&'q [String]>,
    pub sort: &'q [String],
    /// Instead of the attribute of the settings.
    pub distinct: Option<&'q str>,
}

/// One document of the answer, the best first.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its place in the model.
    pub document: usize,
    pub doc_id: u32,
    pub entries: Vec<Entry>,
    pub score: f64,
    pub details: Map<String, Value>,
}

/// A rule of the list, with all it needs.
#[derive(Debug, Clone)]
enum Step {
    Paths(Rule, RankPart),
    AttributeMatch,
    Sort(Criterion),
}

impl ModelIndex {
    pub fn search(&self, question: &Question<'_>) -> Vec<Answer> {
        let ranked = self.rank(question);
        match question.distinct.or(self.settings.distinct.as_deref()) {
            Some(field) => self.distinct(&ranked, field),
            None => ranked,
        }
    }

    /// Like `search`, with every document, whatever values it shares with others.
    pub fn rank(&self, question: &Question<'_>) -> Vec<Answer> {
        let some_fields;
        let view = match question.attributes {
            None => &self.all_fields,
            Some(names) => {
                some_fields = SearchedFields::named(self, names);
                &some_fields
            }
        };
        let parsed = parse(self, question.text);
        let mut universe = self.everything() - excluded(self, view, &parsed);
        let steps = steps(self, question, parsed.terms.is_empty());
        let mut search = Search::new(self, view);
        let mut paths = Vec::new();
        if !parsed.terms.is_empty() {
            paths = interpretations(&mut search, parsed.terms);
            universe &= matching(&mut search, &paths, question.dropping);
        }
        let mut ranked = Vec::new();
        let mut ranking =
            Ranking { search, steps, dropping: question.dropping, ranked: &mut ranked };
        ranking.apply(0, universe, &paths, &mut Vec::new());
        answers(self, ranked)
    }
}

fn answers(index: &ModelIndex, ranked: Vec<(usize, Vec<Entry>)>) -> Vec<Answer> {
    let answer = |(document, entries): (usize, Vec<Entry>)| Answer {
        document,
        doc_id: index.documents[document].doc_id,
        score: details::score(&entries),
        details: details::details(&entries),
        entries,
    };
    ranked.into_iter().map(answer).collect()
}

fn excluded(index: &ModelIndex, view: &SearchedFields, parsed: &ParsedQuery) -> DocSet {
    let mut excluded = DocSet::default();
    for word in parsed.excluded_words.iter().filter_map(|word| index.word_id(word)) {
        excluded |= view.documents(word, FieldScope::Everywhere);
    }
    for phrase in &parsed.excluded_phrases {
        excluded |= phrase.documents(index, view);
    }
    excluded
}

/// The documents that satisfy an interpretation after dropping all that may be dropped.
fn matching(search: &mut Search<'_>, paths: &[Path], dropping: Dropping) -> DocSet {
    let droppable = droppable(search, paths, dropping);
    let mut matching = DocSet::default();
    for path in paths {
        let mut documents = search.index.everything();
        for node in path.iter().filter(|node| !droppable.contains_key(*node)) {
            documents &= search.documents(*node);
        }
        matching |= documents;
    }
    matching
}

fn steps(index: &ModelIndex, question: &Question<'_>, is_placeholder: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut sorted: BTreeSet<String> = BTreeSet::new();
    let mut has_words = question.dropping == Dropping::All;
    for name in &index.settings.ranking_rules {
        if !seen.insert(name) {
            continue;
        }
        let criteria = match name.as_str() {
            "sort" => question.sort.iter().filter_map(|text| Criterion::parse(text)).collect(),
            _ => Criterion::parse(name).into_iter().collect::<Vec<_>>(),
        };
        let new = criteria.into_iter().filter(|criterion| sorted.insert(criterion.field.clone()));
        steps.extend(new.map(Step::Sort));
        if is_placeholder || name == "sort" || name.contains(':') {
            continue;
        }
        if !has_words {
            steps.push(Step::Paths(Rule::Words, RankPart::Words));
            has_words = true;
        }
        match name.as_str() {
            "typo" => steps.push(Step::Paths(Rule::Typo, RankPart::Typo)),
            "proximity" => steps.push(Step::Paths(Rule::Proximity, RankPart::Proximity)),
            "attributeRank" => {
                steps.push(Step::Paths(Rule::AttributeRank, RankPart::AttributeRank));
            }
            "wordPosition" => steps.push(Step::Paths(Rule::WordPosition, RankPart::WordPosition)),
            "attribute" => steps.extend([
                Step::Paths(Rule::AttributeRank, RankPart::RankOfAttribute),
                Step::Paths(Rule::WordPosition, RankPart::PositionOfAttribute),
            ]),
            "exactness" => steps.extend([
                Step::AttributeMatch,
                Step::Paths(Rule::ExactWords, RankPart::ExactWords),
            ]),
            _ => {}
        }
    }
    steps
}

struct Ranking<'a, 'm> {
    search: Search<'m>,
    steps: Vec<Step>,
    dropping: Dropping,
    ranked: &'a mut Vec<(usize, Vec<Entry>)>,
}

impl Ranking<'_, '_> {
    fn apply(&mut self, step: usize, universe: DocSet, paths: &[Path], so_far: &mut Vec<Entry>) {
        if universe.is_empty() {
            return;
        }
        let Some(current) = self.steps.get(step).cloned() else {
            self.ranked.extend(universe.iter().map(|document| (document, so_far.clone())));
            return;
        };
        let mut go_on = |this: &mut Self, documents, paths: &[Path], entry| {
            so_far.push(entry);
            this.apply(step + 1, documents, paths, so_far);
            so_far.pop();
        };
        match current {
            Step::Paths(rule, part) => {
                let cut = buckets(&mut self.search, rule, paths, universe, self.dropping);
                for bucket in cut {
                    let entry = Entry::ranked(part, bucket.rank, bucket.max);
                    go_on(self, bucket.documents, &bucket.paths, entry);
                }
            }
            Step::AttributeMatch => {
                let by_kind = attribute_match(&self.search, paths, universe);
                for (kind, documents) in AttributeMatch::ALL.into_iter().zip(by_kind) {
                    let entry = Entry::ranked(RankPart::AttributeMatch(kind), kind.rank(), 3);
                    go_on(self, documents, paths, entry);
                }
            }
            Step::Sort(criterion) => {
                for (value, documents) in criterion.split(self.search.index, universe) {
                    go_on(self, documents, paths, Entry::sorted(&criterion, value));
                }
            }
        }
    }
}
