//! Questions about values rather than words: filters, facets, sorting. What is asked of which
//! set, and how a question reads for the server; the peer builds its own query of it.

mod drawing;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::Set;
use crate::searching::{LIMIT, Query};

pub use drawing::Drawn;

/// The attributes of a set that are filtered, sorted and counted by.
#[derive(Debug)]
pub struct Attributes {
    pub strings: &'static [&'static str],
    pub numbers: &'static [&'static str],
    pub has_positions: bool,
    pub sortable: &'static [&'static str],
    /// Counted together.
    pub facets: [&'static str; 3],
    /// Of [`Attributes::numbers`]: ranges are drawn from it, and it is sorted by.
    pub measure: &'static str,
    /// Of [`Attributes::strings`]: some of its values are had by about a thousand documents.
    pub group: &'static str,
    /// Of [`Attributes::strings`]: has 200,000 values or more.
    pub large: Option<&'static str>,
}

impl Attributes {
    /// `None` for a set of texts.
    pub fn of(set: Set) -> Option<&'static Attributes> {
        match set {
            Set::Cities => Some(&CITIES),
            Set::Npm => Some(&NPM),
            Set::Imdb | Set::Imdb8 | Set::Wordnet | Set::Quran | Set::Debian => None,
        }
    }

    pub fn filterable(&self) -> Vec<&'static str> {
        let position = self.has_positions.then_some("_geo");
        self.strings.iter().chain(self.numbers).copied().chain(position).collect()
    }
}

const CITIES: Attributes = Attributes {
    strings: &["country_code", "feature_code", "timezone", "modified"],
    numbers: &["population", "elevation"],
    has_positions: true,
    sortable: &["_geo", "population", "name"],
    facets: ["country_code", "feature_code", "timezone"],
    measure: "population",
    group: "country_code",
    large: None,
};

const NPM: Attributes = Attributes {
    strings: &["host", "owner", "repo"],
    numbers: &["downloads"],
    has_positions: false,
    sortable: &["downloads", "name"],
    facets: ["host", "owner", "downloads"],
    measure: "downloads",
    group: "owner",
    large: Some("owner"),
};

/// Questions that have one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Equality,
    /// Of numbers, from a ten-thousandth of the documents to all of them.
    Range,
    /// Within 100 km, nearest first.
    Radius,
    FacetsOfAll,
    FacetsOfThousand,
    SortByNumber,
    /// One facet with 200,000 values or more, which are ordered by their count or by themselves;
    /// over half of the documents or all of them.
    LargeFacet {
        by_count: bool,
        of_half: bool,
    },
    /// An `IN` with 10,000 values.
    ManyValues,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Equality => "equality filter",
            Kind::Range => "range filter",
            Kind::Radius => "radius of 100 km, nearest first",
            Kind::FacetsOfAll => "three facets of all",
            Kind::FacetsOfThousand => "three facets of about 1,000",
            Kind::SortByNumber => "sort by a number",
            Kind::LargeFacet { by_count: false, of_half: false } => "large facet, alpha",
            Kind::LargeFacet { by_count: false, of_half: true } => "large facet of half, alpha",
            Kind::LargeFacet { by_count: true, of_half: false } => "large facet, count",
            Kind::LargeFacet { by_count: true, of_half: true } => "large facet of half, count",
            Kind::ManyValues => "10,000 values in IN",
        }
    }

    /// The order of facet values that has to be set while it is asked.
    pub fn by_count(self) -> bool {
        matches!(self, Kind::LargeFacet { by_count: true, .. })
    }

    /// The peer knows no positions.
    pub fn peer_can_answer(self) -> bool {
        self != Kind::Radius
    }

    /// What is measured of it besides processor time has the same target.
    pub fn has_time_target(self) -> bool {
        matches!(self, Kind::LargeFacet { .. } | Kind::ManyValues)
    }

    /// How many different questions there are, and how often each is asked: enough for some
    /// tenths of a second, because processor time is counted in hundredths.
    pub fn questions_and_rounds(self) -> (usize, usize) {
        match self {
            Kind::Equality | Kind::Range | Kind::Radius => (300, 10),
            Kind::FacetsOfThousand => (100, 20),
            Kind::SortByNumber => (100, 10),
            Kind::FacetsOfAll | Kind::LargeFacet { .. } | Kind::ManyValues => (20, 5),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Workload {
    pub kind: Kind,
    pub questions: Vec<Question>,
}

/// Which documents, in which order, which of them, and what is counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub condition: Condition,
    pub sort: Option<Sort>,
    pub facets: Vec<String>,
    pub offset: usize,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Condition {
    All,
    Is { attribute: String, value: String },
    Equals { attribute: String, number: i64 },
    Between { attribute: String, from: i64, to: i64 },
    OneOf { attribute: String, values: Vec<String> },
    Within { metres: u32, of: Position },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sort {
    ByNumber { attribute: String, descending: bool },
    Nearest { to: Position },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    pub lat: f64,
    pub lng: f64,
}

impl Question {
    /// The first hits that meet a condition.
    pub fn filter(condition: Condition) -> Self {
        Question { condition, sort: None, facets: Vec::new(), offset: 0, limit: LIMIT }
    }

    /// Only counts, no hits.
    pub fn facets(facets: &[&str], condition: Condition) -> Self {
        let facets = facets.iter().map(|&facet| facet.to_owned()).collect();
        Question { facets, limit: 0, ..Question::filter(condition) }
    }

    pub fn sorted(sort: Sort, condition: Condition) -> Self {
        Question { sort: Some(sort), ..Question::filter(condition) }
    }

    /// The body of a search.
    pub fn request(&self) -> Value {
        let mut request = json!({ "limit": self.limit });
        if self.offset > 0 {
            request["offset"] = self.offset.into();
        }
        if let Some(filter) = self.condition.filter() {
            request["filter"] = filter.into();
        }
        if let Some(sort) = &self.sort {
            request["sort"] = json!([sort.expression()]);
        }
        if !self.facets.is_empty() {
            request["facets"] = json!(self.facets);
        }
        request
    }
}

impl Query for Question {
    fn text(&self) -> String {
        const LONGEST: usize = 200;
        let mut text = self.request().to_string();
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
        text
    }
}

impl Condition {
    /// In the filter language; `None` where every document is meant.
    fn filter(&self) -> Option<String> {
        Some(match self {
            Condition::All => return None,
            Condition::Is { attribute, value } => format!("{attribute} = \"{value}\""),
            Condition::Equals { attribute, number } => format!("{attribute} = {number}"),
            Condition::Between { attribute, from, to } => format!("{attribute} {from} TO {to}"),
            Condition::OneOf { attribute, values } => {
                format!("{attribute} IN [\"{}\"]", values.join("\", \""))
            }
            Condition::Within { metres, of } => {
                format!("_geoRadius({}, {}, {metres})", of.lat, of.lng)
            }
        })
    }
}

impl Sort {
    fn expression(&self) -> String {
        match self {
            Sort::ByNumber { attribute, descending: false } => format!("{attribute}:asc"),
            Sort::ByNumber { attribute, descending: true } => format!("{attribute}:desc"),
            Sort::Nearest { to } => format!("_geoPoint({}, {}):asc", to.lat, to.lng),
        }
    }
}

/// The beginning of a facet value as someone types it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FacetQuery {
    pub facet: &'static str,
    pub text: String,
    pub typo: bool,
}

impl Query for FacetQuery {
    fn text(&self) -> String {
        self.text.clone()
    }

    fn has_typo(&self) -> bool {
        self.typo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(question: &Question) -> String {
        question.request().to_string()
    }

    #[test]
    fn a_condition_becomes_a_filter() {
        let attribute = || "a".to_owned();
        let conditions = [
            (Condition::All, r#"{"limit":20}"#),
            (
                Condition::Is { attribute: attribute(), value: "x y".to_owned() },
                r#"{"filter":"a = \"x y\"","limit":20}"#,
            ),
            (
                Condition::Equals { attribute: attribute(), number: -3 },
                r#"{"filter":"a = -3","limit":20}"#,
            ),
            (
                Condition::Between { attribute: attribute(), from: 1, to: 9 },
                r#"{"filter":"a 1 TO 9","limit":20}"#,
            ),
            (
                Condition::OneOf {
                    attribute: attribute(),
                    values: ["x", "y"].map(str::to_owned).into(),
                },
                r#"{"filter":"a IN [\"x\", \"y\"]","limit":20}"#,
            ),
        ];
        for (condition, expected) in conditions {
            assert_eq!(request(&Question::filter(condition)), expected);
        }
    }

    #[test]
    fn the_nearest_within_a_radius() {
        let here = Position { lat: 42.5, lng: -1.25 };
        let condition = Condition::Within { metres: 100_000, of: here };
        let question = Question::sorted(Sort::Nearest { to: here }, condition);
        assert_eq!(
            request(&question),
            r#"{"filter":"_geoRadius(42.5, -1.25, 100000)","limit":20,"sort":["_geoPoint(42.5, -1.25):asc"]}"#
        );
    }

    #[test]
    fn counts_and_windows() {
        let facets = Question::facets(&["a", "b"], Condition::All);
        assert_eq!(request(&facets), r#"{"facets":["a","b"],"limit":0}"#);
        let sort = Sort::ByNumber { attribute: "n".to_owned(), descending: true };
        let window = Question { offset: 200, ..Question::sorted(sort, Condition::All) };
        assert_eq!(request(&window), r#"{"limit":20,"offset":200,"sort":["n:desc"]}"#);
    }

    #[test]
    fn a_long_question_is_cut_where_it_is_named() {
        let values = vec!["é".repeat(50); 50];
        let question = Question::filter(Condition::OneOf { attribute: "a".to_owned(), values });
        assert_eq!(question.text().chars().count(), 201);
    }
}
