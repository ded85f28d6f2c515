//! The queries that a service gets, each of them once: letters as they are typed, words, frequent
//! words, phrases, typos, and the same with attributes, filters, facets and sorting. Drawn from the
//! documents, different from each other, and the same every time.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::{Documents, Set};
use crate::queries::{self, TypedQuery};
use crate::random::Random;
use crate::searching::{LIMIT, Query};

/// Documents that queries are drawn from.
const SAMPLED: usize = 3_000;

/// A word in this share of the sampled documents is frequent, in percent.
const FREQUENT_PERCENT: usize = 5;
/// In sets of short texts, so many words are frequent whatever their share.
const LEAST_FREQUENT_WORDS: usize = 40;

/// Words of a question, and hits asked for.
const QUESTION_WORDS: usize = 8;
pub const QUESTION_HITS: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// One to four words of a document, the last one often unfinished.
    Words,
    /// The same with one typo.
    Typo,
    /// One or two letters.
    Letters,
    /// Two to four words that many documents have.
    Frequent,
    Phrase,
    AttributesToSearchOn,
    FilterAndFacets,
    Sort,
    NegativeWord,
    Distinct,
    SortAndFacets,
    HighlightAndCrop,
    /// Page 2 to 30.
    Page,
    /// Every word is required.
    AllWords,
    TenWords,
    /// Eight words, of which a document need not have all, ranked by BM25.
    Question,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Words => "words",
            Kind::Typo => "a typo",
            Kind::Letters => "one or two letters",
            Kind::Frequent => "frequent words",
            Kind::Phrase => "a phrase",
            Kind::AttributesToSearchOn => "attributesToSearchOn",
            Kind::FilterAndFacets => "a filter with facets",
            Kind::Sort => "sort",
            Kind::NegativeWord => "a negative word",
            Kind::Distinct => "distinct",
            Kind::SortAndFacets => "sort with facets",
            Kind::HighlightAndCrop => "highlight and crop",
            Kind::Page => "pages 2 to 30",
            Kind::AllWords => "all words required",
            Kind::TenWords => "ten words",
            Kind::Question => "a question",
        }
    }

    /// True if the peer can be asked the same.
    pub fn peer_can_answer(self) -> bool {
        matches!(self, Kind::Words | Kind::Typo | Kind::Letters | Kind::Frequent | Kind::Question)
    }
}

/// What a service is asked: each kind with its share in percent.
const SERVICE: [(Kind, usize); 8] = [
    (Kind::Words, 20),
    (Kind::Typo, 15),
    (Kind::Letters, 15),
    (Kind::Frequent, 15),
    (Kind::Phrase, 10),
    (Kind::AttributesToSearchOn, 10),
    (Kind::FilterAndFacets, 10),
    (Kind::Sort, 5),
];

/// What is held against plain words, one kind beside the other.
pub const KINDS: [Kind; 11] = [
    Kind::Words,
    Kind::AttributesToSearchOn,
    Kind::Phrase,
    Kind::NegativeWord,
    Kind::Distinct,
    Kind::SortAndFacets,
    Kind::HighlightAndCrop,
    Kind::Page,
    Kind::AllWords,
    Kind::TenWords,
    Kind::FilterAndFacets,
];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixedQuery {
    pub kind: Kind,
    /// The words, as the peer is asked for them.
    pub typed: TypedQuery,
    /// The search as the server is asked for it.
    pub body: Value,
}

impl Query for MixedQuery {
    fn text(&self) -> String {
        let mut body = self.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.remove("limit");
        }
        body.to_string()
    }

    fn has_typo(&self) -> bool {
        self.typed.typo
    }
}

/// The attributes of a set by what is done with them.
pub struct Attributes {
    /// Searched alone.
    pub text: &'static str,
    pub group: &'static str,
    pub facets: &'static [&'static str],
    pub number: Option<&'static str>,
}

impl Attributes {
    pub fn of(set: Set) -> &'static Attributes {
        match set {
            Set::Npm => &Attributes {
                text: "words",
                group: "owner",
                facets: &["host", "owner"],
                number: Some("downloads"),
            },
            Set::Cities => &Attributes {
                text: "name",
                group: "country_code",
                facets: &["country_code", "feature_code", "timezone"],
                number: Some("population"),
            },
            Set::Debian => &Attributes {
                text: "summary",
                group: "section",
                facets: &["section", "tags"],
                number: Some("installed_kb"),
            },
            Set::Imdb | Set::Imdb8 | Set::Wordnet | Set::Quran => &Attributes {
                text: "text",
                group: "sentiment",
                facets: &["sentiment"],
                number: None,
            },
        }
    }

    /// The settings that the queries need.
    pub fn settings(&self) -> Value {
        let mut filterable: Vec<&str> = self.facets.to_vec();
        filterable.extend(self.number);
        let sortable = self.number.unwrap_or(self.group);
        json!({ "filterableAttributes": filterable, "sortableAttributes": [sortable] })
    }
}

/// Different queries in the shares of a service, in random order.
pub fn of_service(set: Set, documents: &Documents, count: usize) -> Result<Vec<MixedQuery>> {
    let mut drawing = Drawing::new(set, documents, "service")?;
    let mut queries = Vec::with_capacity(count);
    for (kind, percent) in SERVICE {
        queries.extend(drawing.several(kind, count * percent / 100)?);
    }
    shuffle(&mut queries, &mut drawing.random);
    Ok(queries)
}

/// So many queries of each of [`KINDS`], in random order.
pub fn of_each_kind(set: Set, documents: &Documents, count: usize) -> Result<Vec<MixedQuery>> {
    let mut drawing = Drawing::new(set, documents, "kinds")?;
    let mut queries = Vec::with_capacity(count * KINDS.len());
    for kind in KINDS {
        queries.extend(drawing.several(kind, count)?);
    }
    shuffle(&mut queries, &mut drawing.random);
    Ok(queries)
}

/// So many different questions.
pub fn questions(set: Set, documents: &Documents, count: usize) -> Result<Vec<MixedQuery>> {
    Drawing::new(set, documents, "questions")?.several(Kind::Question, count)
}

fn shuffle(queries: &mut [MixedQuery], random: &mut Random) {
    for place in (1..queries.len()).rev() {
        queries.swap(place, random.below(place + 1));
    }
}

struct Drawing {
    set: Set,
    attributes: &'static Attributes,
    documents: Vec<Value>,
    frequent: HashSet<String>,
    random: Random,
    seen: HashSet<String>,
}

impl Drawing {
    fn new(set: Set, documents: &Documents, name: &str) -> Result<Self> {
        let lines = documents.sample(SAMPLED)?;
        let parsed = lines.iter().map(|line| serde_json::from_str(line));
        let mut drawing = Self {
            set,
            attributes: Attributes::of(set),
            documents: parsed.collect::<Result<_, _>>()?,
            frequent: HashSet::new(),
            random: Random::named(&format!("{} {name}", set.name())),
            seen: HashSet::new(),
        };
        drawing.frequent = drawing.frequent_words();
        Ok(drawing)
    }

    fn frequent_words(&mut self) -> HashSet<String> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for place in 0..self.documents.len() {
            let words: HashSet<String> = self.words_of(place).into_iter().collect();
            for word in words {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut counted: Vec<(usize, String)> =
            counts.into_iter().map(|(word, count)| (count, word)).collect();
        counted.sort_unstable_by(|a, b| b.cmp(a));
        let least = self.documents.len() * FREQUENT_PERCENT / 100;
        let many = counted.partition_point(|(count, _)| *count >= least);
        counted.truncate(many.max(LEAST_FREQUENT_WORDS));
        counted.into_iter().map(|(_, word)| word).collect()
    }

    fn words_of(&mut self, place: usize) -> Vec<String> {
        let text = queries::text_of(self.set, &self.documents[place], &mut self.random);
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    }

    fn several(&mut self, kind: Kind, count: usize) -> Result<Vec<MixedQuery>> {
        let mut queries = Vec::with_capacity(count);
        let mut tries = 0;
        while queries.len() < count {
            tries += 1;
            ensure!(tries < 10_000 + 100 * count, "{}: too few queries: {kind:?}", self.set.name());
            let place = self.random.below(self.documents.len());
            let Some(query) = self.draw(kind, place) else { continue };
            if self.seen.insert(query.text()) {
                queries.push(query);
            }
        }
        Ok(queries)
    }

    /// One query of a kind, from a document; none where the document does not allow it.
    fn draw(&mut self, kind: Kind, place: usize) -> Option<MixedQuery> {
        let typed = match kind {
            Kind::Letters => self.letters(place)?,
            Kind::Frequent => self.frequent(place)?,
            Kind::Phrase => self.row(place, 2, 4)?,
            Kind::AllWords => self.row(place, 2, 5)?,
            Kind::NegativeWord => self.row(place, 3, 4)?,
            Kind::TenWords => self.row(place, 10, 10)?,
            Kind::Question => self.question(place),
            _ => {
                let text = queries::text_of(self.set, &self.documents[place], &mut self.random);
                let unfinished = self.random.percent(70);
                queries::draw(&text, unfinished, kind == Kind::Typo, &mut self.random)?
            }
        };
        let mut body = json!({ "q": typed.text(), "limit": LIMIT });
        let members = self.members(kind, place, &typed)?;
        let of_body = body.as_object_mut()?;
        for (name, value) in members {
            match value {
                Value::Null => drop(of_body.remove(name)),
                value => drop(of_body.insert(name.to_owned(), value)),
            }
        }
        Some(MixedQuery { kind, typed, body })
    }

    /// What a query of a kind has beside its words; null takes a member away.
    fn members(
        &mut self,
        kind: Kind,
        place: usize,
        typed: &TypedQuery,
    ) -> Option<Vec<(&'static str, Value)>> {
        let attributes = self.attributes;
        let words = typed.words.join(" ");
        let sort = || {
            let attribute = attributes.number.unwrap_or(attributes.group);
            ("sort", json!([format!("{attribute}:desc")]))
        };
        Some(match kind {
            Kind::Words | Kind::Typo | Kind::Letters | Kind::Frequent | Kind::TenWords => vec![],
            Kind::Phrase => vec![("q", format!("\"{words}\"").into())],
            Kind::AttributesToSearchOn => {
                vec![("attributesToSearchOn", json!([attributes.text]))]
            }
            Kind::FilterAndFacets => {
                vec![("filter", self.filter(place)?.into()), ("facets", json!(attributes.facets))]
            }
            Kind::Sort => vec![sort()],
            Kind::SortAndFacets => vec![sort(), ("facets", json!(attributes.facets))],
            Kind::NegativeWord => {
                let (last, others) = typed.words.split_last()?;
                vec![("q", format!("{} -{last}", others.join(" ")).into())]
            }
            Kind::Distinct => vec![("distinct", attributes.group.into())],
            Kind::HighlightAndCrop => {
                vec![("attributesToHighlight", json!(["*"])), ("attributesToCrop", json!(["*"]))]
            }
            Kind::Page => vec![
                ("page", (2 + self.random.below(29)).into()),
                ("hitsPerPage", LIMIT.into()),
                ("limit", Value::Null),
            ],
            Kind::AllWords => vec![("matchingStrategy", "all".into())],
            Kind::Question => {
                vec![("matchingStrategy", "any".into()), ("limit", QUESTION_HITS.into())]
            }
        })
    }

    fn letters(&mut self, place: usize) -> Option<TypedQuery> {
        let words = self.words_of(place);
        let word = (!words.is_empty()).then(|| self.random.one_of(&words).clone())?;
        let count = 1 + self.random.below(2);
        let letters: String = word.chars().take(count).collect();
        Some(TypedQuery { words: vec![letters], unfinished: true, typo: false })
    }

    /// Frequent words that stand in a row, or any of them.
    fn frequent(&mut self, place: usize) -> Option<TypedQuery> {
        let count = 2 + self.random.below(3);
        let words: Vec<String> = self.words_of(place);
        let frequent: Vec<&String> =
            words.iter().filter(|word| self.frequent.contains(*word)).collect();
        if frequent.len() < count {
            return None;
        }
        let chosen: Vec<String> = if self.random.percent(50) {
            let first = self.random.below(words.len() - count + 1);
            let row = &words[first..first + count];
            row.iter().all(|word| self.frequent.contains(word)).then(|| row.to_vec())?
        } else {
            (0..count).map(|_| (*self.random.one_of(&frequent)).clone()).collect()
        };
        Some(TypedQuery { words: chosen, unfinished: self.random.percent(50), typo: false })
    }

    /// Finished words that stand in a row.
    fn row(&mut self, place: usize, least: usize, most: usize) -> Option<TypedQuery> {
        let words = self.words_of(place);
        let count = (least + self.random.below(most - least + 1)).min(words.len());
        if count < least {
            return None;
        }
        let first = self.random.below(words.len() - count + 1);
        let words = words[first..first + count].to_vec();
        Some(TypedQuery { words, unfinished: false, typo: false })
    }

    /// Words in a row; of several documents where one has too few.
    fn question(&mut self, place: usize) -> TypedQuery {
        let mut words = Vec::new();
        let mut place = place;
        while words.len() < QUESTION_WORDS {
            let row = self.row(place, 1, QUESTION_WORDS - words.len());
            words.extend(row.into_iter().flat_map(|row| row.words));
            place = self.random.below(self.documents.len());
        }
        TypedQuery { words, unfinished: false, typo: false }
    }

    /// A filter that the document passes.
    fn filter(&mut self, place: usize) -> Option<String> {
        let document = &self.documents[place];
        let Attributes { group, number, .. } = self.attributes;
        let group_value = document[*group].as_str()?;
        let of_group = format!("{group} = \"{group_value}\"");
        let Some(number) = number else { return Some(of_group) };
        let value = document[*number].as_u64()?;
        Some(match self.random.below(3) {
            0 => of_group,
            1 => format!("{number} {} TO {}", value / 2, value.saturating_mul(2)),
            _ => format!("{of_group} OR {number} {} TO {}", value / 2, value.saturating_mul(2)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(name: &str) -> Documents {
        let path = std::env::temp_dir().join(format!("sonde-bench-{name}-{}", std::process::id()));
        let documents: Vec<Value> = (0..600)
            .map(|id| {
                json!({
                    "id": id,
                    "summary": format!("the number {id} of a small list {}", id % 37),
                    "description": format!("it was a long list {} and the number is {id}", id % 91),
                    "section": format!("s{}", id % 7), "tags": ["x"], "installed_kb": id,
                })
            })
            .collect();
        Documents::write(path, &documents).unwrap()
    }

    #[test]
    fn a_service_is_asked_different_queries_in_their_shares() {
        let documents = documents("mix");
        let queries = of_service(Set::Debian, &documents, 100).unwrap();
        assert_eq!(queries.len(), 100);
        for (kind, percent) in SERVICE {
            let found = queries.iter().filter(|query| query.kind == kind).count();
            assert_eq!(found, percent, "{kind:?}");
        }
        let different: HashSet<String> = queries.iter().map(Query::text).collect();
        assert_eq!(different.len(), queries.len());
        assert_eq!(queries, of_service(Set::Debian, &documents, 100).unwrap());
        std::fs::remove_file(documents.path).unwrap();
    }

    #[test]
    fn each_kind_is_drawn_as_often() {
        let documents = documents("kinds");
        let mut drawing = Drawing::new(Set::Debian, &documents, "test").unwrap();
        for kind in KINDS.into_iter().filter(|kind| *kind != Kind::TenWords) {
            let queries = drawing.several(kind, 5).unwrap();
            assert!(queries.iter().all(|query| query.kind == kind));
        }
        let question = &drawing.several(Kind::Question, 1).unwrap()[0];
        assert_eq!(question.typed.words.len(), QUESTION_WORDS);
        assert_eq!(question.body["matchingStrategy"], "any");
        let phrase = &drawing.several(Kind::Phrase, 1).unwrap()[0];
        assert!(phrase.body["q"].as_str().unwrap().starts_with('"'));
        std::fs::remove_file(documents.path).unwrap();
    }
}
