//! Draws the questions about a set from its documents, the same every time: values that
//! documents have, ranges that hold a wanted number of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Attributes, Condition, FacetQuery, Kind, Position, Question, Sort, Workload};
use crate::data::{Documents, Set};
use crate::queries::{self, QUERIES, SHORTEST_WITH_TYPO, TYPO_PERCENT};
use crate::random::Random;

const RADIUS_METRES: u32 = 100_000;
const MANY_VALUES: usize = 10_000;
/// Where the first page of a sorted list and a later one begin.
const OFFSETS: [usize; 2] = [0, 200];
/// The narrowest range holds this share of the documents, as a power of ten.
const NARROWEST_POWER: f64 = -4.0;
const ABOUT_THOUSAND: std::ops::RangeInclusive<usize> = 800..=1_250;
/// Documents that values are taken from.
const SAMPLE: usize = 20_000;
/// Draws before what is wanted is said not to be there.
const TRIES: usize = 10_000;

/// What is asked about a set.
pub struct Drawn {
    pub workloads: Vec<Workload>,
    /// Asked of the attribute with many values, where the set has one …
    pub facet_queries: Vec<FacetQuery>,
    /// … which has this many.
    pub large_values: usize,
}

impl Drawn {
    pub fn from(set: Set, attributes: &'static Attributes, documents: &Documents) -> Result<Self> {
        let census = Census::take(attributes, documents)?;
        let sample = documents.sample(SAMPLE)?;
        let sample: Vec<Value> =
            sample.iter().map(|line| Ok(serde_json::from_str(line)?)).collect::<Result<_>>()?;
        let random = Random::named(set.name());
        let mut drawing = Drawing { attributes, census, sample, random };
        let mut workloads = Vec::new();
        for kind in kinds(attributes) {
            let questions = drawing.questions(kind);
            let questions = questions.with_context(|| format!("drawing for: {}", kind.name()))?;
            workloads.push(Workload { kind, questions });
        }
        let facet_queries =
            attributes.large.map(|facet| drawing.facet_queries(facet)).transpose()?;
        Ok(Drawn {
            workloads,
            facet_queries: facet_queries.unwrap_or_default(),
            large_values: drawing.census.large.len(),
        })
    }
}

/// The kinds that a set with such attributes has questions of.
fn kinds(attributes: &Attributes) -> Vec<Kind> {
    let mut kinds = vec![Kind::Equality, Kind::Range];
    if attributes.has_positions {
        kinds.push(Kind::Radius);
    }
    kinds.extend([Kind::FacetsOfAll, Kind::FacetsOfThousand, Kind::SortByNumber]);
    if attributes.large.is_some() {
        for (by_count, of_half) in [(false, false), (false, true), (true, false), (true, true)] {
            kinds.push(Kind::LargeFacet { by_count, of_half });
        }
        kinds.push(Kind::ManyValues);
    }
    kinds
}

/// What has to be known of all documents.
struct Census {
    /// The values of [`Attributes::measure`], in order.
    measured: Vec<i64>,
    /// How many documents have each value of [`Attributes::group`].
    grouped: HashMap<String, usize>,
    /// The values of [`Attributes::large`] in order, one of those that differ only in case.
    large: Vec<String>,
}

impl Census {
    fn take(attributes: &Attributes, documents: &Documents) -> Result<Self> {
        let mut measured = Vec::with_capacity(documents.docs);
        let mut grouped = HashMap::new();
        let mut large = BTreeMap::new();
        for batch in documents.batches()? {
            for line in std::str::from_utf8(&batch?.body)?.lines() {
                let document: Value = serde_json::from_str(line)?;
                measured.extend(document[attributes.measure].as_i64());
                if let Some(value) = plain(&document, attributes.group) {
                    *grouped.entry(value.to_owned()).or_default() += 1;
                }
                if let Some(value) = attributes.large.and_then(|name| plain(&document, name)) {
                    large.entry(value.to_lowercase()).or_insert_with(|| value.to_owned());
                }
            }
        }
        ensure!(!measured.is_empty(), "no document has {}", attributes.measure);
        measured.sort_unstable();
        Ok(Census { measured, grouped, large: large.into_values().collect() })
    }

    /// The values of `docs` neighbours among the documents in the order of the measure: the
    /// least and the greatest.
    fn range_of(&self, docs: usize, random: &mut Random) -> (i64, i64) {
        let docs = docs.clamp(1, self.measured.len());
        let first = random.below(self.measured.len() - docs + 1);
        (self.measured[first], self.measured[first + docs - 1])
    }

    /// How many documents a range holds: more than it was drawn for where several documents
    /// have its first or last value.
    fn docs_between(&self, from: i64, to: i64) -> usize {
        let below = |bound: i64| self.measured.partition_point(|value| *value < bound);
        self.measured.partition_point(|value| *value <= to) - below(from)
    }

    /// A range that holds about a thousand documents, where there is one.
    fn range_of_thousand(&self, random: &mut Random) -> Result<(i64, i64)> {
        (0..TRIES)
            .map(|_| self.range_of(1_000, random))
            .find(|(from, to)| ABOUT_THOUSAND.contains(&self.docs_between(*from, *to)))
            .context("no range of about 1,000 documents")
    }
}

struct Drawing {
    attributes: &'static Attributes,
    census: Census,
    sample: Vec<Value>,
    random: Random,
}

impl Drawing {
    fn questions(&mut self, kind: Kind) -> Result<Vec<Question>> {
        let (wanted, _) = kind.questions_and_rounds();
        let facets = self.attributes.facets;
        match kind {
            Kind::Equality => self.equalities(wanted),
            Kind::Range => Ok((0..wanted).map(|_| Question::filter(self.any_range())).collect()),
            Kind::Radius => (0..wanted).map(|_| self.radius()).collect(),
            Kind::FacetsOfAll => Ok(vec![Question::facets(&facets, Condition::All); wanted]),
            Kind::FacetsOfThousand => {
                let conditions = self.about_thousand(wanted)?;
                Ok(conditions.into_iter().map(|c| Question::facets(&facets, c)).collect())
            }
            Kind::SortByNumber => Ok(self.sorts().into_iter().cycle().take(wanted).collect()),
            Kind::LargeFacet { of_half, .. } => {
                let facet = self.attributes.large.context("no attribute with many values")?;
                let half = self.census.measured.len() / 2;
                let condition = |drawing: &mut Self| match of_half {
                    true => drawing.between(|census, random| census.range_of(half, random)),
                    false => Condition::All,
                };
                Ok((0..wanted).map(|_| Question::facets(&[facet], condition(self))).collect())
            }
            Kind::ManyValues => (0..wanted).map(|_| self.many_values()).collect(),
        }
    }

    /// No value twice; as many of one attribute as of the other, because some have few values.
    fn equalities(&mut self, wanted: usize) -> Result<Vec<Question>> {
        let names = [self.attributes.strings, self.attributes.numbers].concat();
        let mut seen = HashSet::new();
        let mut questions = Vec::with_capacity(wanted);
        for _ in 0..TRIES * 10 {
            let name = *self.random.one_of(&names);
            let document = self.random.one_of(&self.sample);
            let attribute = name.to_owned();
            let condition = if let Some(value) = plain(document, name) {
                Condition::Is { attribute, value: value.to_owned() }
            } else if let Some(number) = document[name].as_i64() {
                Condition::Equals { attribute, number }
            } else {
                continue;
            };
            let question = Question::filter(condition);
            if seen.insert(question.request().to_string()) {
                questions.push(question);
            }
            if questions.len() == wanted {
                return Ok(questions);
            }
        }
        anyhow::bail!("only {} different values", questions.len())
    }

    fn between(&mut self, range: impl FnOnce(&Census, &mut Random) -> (i64, i64)) -> Condition {
        let (from, to) = range(&self.census, &mut self.random);
        Condition::Between { attribute: self.attributes.measure.to_owned(), from, to }
    }

    /// Narrow ranges are as frequent as wide ones.
    fn any_range(&mut self) -> Condition {
        let share = 10_f64.powf(NARROWEST_POWER * self.random.share());
        self.between(|census, random| {
            census.range_of((census.measured.len() as f64 * share) as usize, random)
        })
    }

    fn radius(&mut self) -> Result<Question> {
        let position = &self.random.one_of(&self.sample)["_geo"];
        let coordinate = |name: &str| position[name].as_f64().context("a document without _geo");
        let here = Position { lat: coordinate("lat")?, lng: coordinate("lng")? };
        let condition = Condition::Within { metres: RADIUS_METRES, of: here };
        Ok(Question::sorted(Sort::Nearest { to: here }, condition))
    }

    /// Single values that about a thousand documents have, the others ranges.
    fn about_thousand(&mut self, wanted: usize) -> Result<Vec<Condition>> {
        let grouped = self.census.grouped.iter();
        let mut values: Vec<_> = grouped
            .filter(|(_, docs)| ABOUT_THOUSAND.contains(docs))
            .map(|(value, _)| value.clone())
            .collect();
        values.sort_unstable();
        values.truncate(wanted / 2);
        let attribute = self.attributes.group;
        let mut conditions: Vec<_> = values
            .into_iter()
            .map(|value| Condition::Is { attribute: attribute.to_owned(), value })
            .collect();
        while conditions.len() < wanted {
            let (from, to) = self.census.range_of_thousand(&mut self.random)?;
            let attribute = self.attributes.measure.to_owned();
            conditions.push(Condition::Between { attribute, from, to });
        }
        Ok(conditions)
    }

    /// Both directions, the first page and a later one.
    fn sorts(&self) -> Vec<Question> {
        let mut questions = Vec::new();
        for descending in [false, true] {
            for offset in OFFSETS {
                let attribute = self.attributes.measure.to_owned();
                let sort = Sort::ByNumber { attribute, descending };
                questions.push(Question { offset, ..Question::sorted(sort, Condition::All) });
            }
        }
        questions
    }

    fn many_values(&mut self) -> Result<Question> {
        let attribute = self.attributes.large.context("no attribute with many values")?;
        let all = &self.census.large;
        ensure!(!all.is_empty(), "no document has {attribute}");
        // One out of each stretch of the ordered values: none comes twice.
        let count = MANY_VALUES.min(all.len());
        let values = (0..count).map(|place| {
            let stretch = &all[place * all.len() / count..(place + 1) * all.len() / count];
            self.random.one_of(stretch).clone()
        });
        let values = values.collect();
        Ok(Question::filter(Condition::OneOf { attribute: attribute.to_owned(), values }))
    }

    /// Beginnings of values, some with a typo.
    fn facet_queries(&mut self, facet: &'static str) -> Result<Vec<FacetQuery>> {
        let mut seen = HashSet::new();
        let mut queries = Vec::with_capacity(QUERIES);
        for _ in 0..TRIES {
            let document = self.random.one_of(&self.sample);
            let Some(value) = plain(document, facet) else { continue };
            let letters: Vec<_> = value.to_lowercase().chars().collect();
            let typed = 1 + self.random.below(letters.len());
            let mut text: String = letters[..typed].iter().collect();
            let typo = typed >= SHORTEST_WITH_TYPO && self.random.percent(TYPO_PERCENT);
            if typo {
                text = queries::misspelt(&text, &mut self.random);
            }
            let query = FacetQuery { facet, text, typo };
            if seen.insert(query.clone()) {
                queries.push(query);
            }
            if queries.len() == QUERIES {
                return Ok(queries);
            }
        }
        anyhow::bail!("only {} different beginnings of {facet}", queries.len())
    }
}

/// A string that stands between quotes in a filter as it is and is not blank.
fn plain<'d>(document: &'d Value, name: &str) -> Option<&'d str> {
    let value = document[name].as_str()?;
    (!value.trim().is_empty() && !value.contains(['"', '\\'])).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Packages downloaded 0, 1, 2, … times, each number twice; three owners have 1,000 each.
    fn packages(docs: usize) -> Documents {
        let documents: Vec<_> = (0..docs)
            .map(|n| {
                let owner = if n < 3_000 { n / 1_000 } else { n };
                json!({
                    "host": format!("Host {}", n % 400),
                    "owner": format!("{owner:04} Owner"),
                    "repo": format!("repository {n}"),
                    "downloads": n / 2,
                })
            })
            .collect();
        let path = std::env::temp_dir().join(format!("sonde-bench-f-{}", std::process::id()));
        Documents::write(path, &documents).unwrap()
    }

    #[test]
    fn draws_what_is_wanted_the_same_every_time() {
        let documents = packages(5_000);
        let attributes = Attributes::of(Set::Npm).unwrap();
        let drawn = Drawn::from(Set::Npm, attributes, &documents).unwrap();
        let again = Drawn::from(Set::Npm, attributes, &documents).unwrap();
        std::fs::remove_file(&documents.path).unwrap();

        assert_eq!(drawn.large_values, 2_003);
        assert_eq!(drawn.facet_queries, again.facet_queries);
        assert!(drawn.facet_queries.iter().any(|query| query.typo));
        for (workload, again) in drawn.workloads.iter().zip(&again.workloads) {
            assert_eq!(workload.questions, again.questions);
            assert_eq!(workload.questions.len(), workload.kind.questions_and_rounds().0);
        }
        let of = |kind: Kind| {
            let found = drawn.workloads.iter().find(|workload| workload.kind == kind);
            &found.unwrap().questions
        };
        let different: HashSet<_> =
            of(Kind::Equality).iter().map(|question| question.request().to_string()).collect();
        assert_eq!(different.len(), of(Kind::Equality).len());
        let values = of(Kind::FacetsOfThousand)
            .iter()
            .filter(|question| matches!(question.condition, Condition::Is { .. }));
        assert_eq!(values.count(), 3);
        let sorted = of(Kind::SortByNumber);
        assert_eq!(sorted[3].offset, 200);
        assert_eq!(sorted[4], sorted[0]);
    }

    #[test]
    fn a_range_holds_the_wanted_number() {
        let census = Census {
            measured: (0..10_000).map(|n| if n < 5_000 { 7 } else { n }).collect(),
            grouped: HashMap::new(),
            large: Vec::new(),
        };
        assert_eq!(census.docs_between(7, 7), 5_000);
        assert_eq!(census.docs_between(6_000, 6_009), 10);
        let mut random = Random::named("ranges");
        for _ in 0..100 {
            let (from, to) = census.range_of_thousand(&mut random).unwrap();
            assert!(ABOUT_THOUSAND.contains(&census.docs_between(from, to)));
            let (from, to) = census.range_of(10, &mut random);
            assert!(census.docs_between(from, to) >= 10);
        }
        assert_eq!(census.range_of(20_000, &mut random), (7, 9_999));
    }

    #[test]
    fn values_that_a_filter_would_have_to_escape_are_left_out() {
        let document = json!({ "a": "as it is", "b": "with \"quotes\"", "c": " ", "d": 1 });
        let found = ["a", "b", "c", "d", "e"].map(|name| plain(&document, name));
        assert_eq!(found, [Some("as it is"), None, None, None, None]);
    }
}
