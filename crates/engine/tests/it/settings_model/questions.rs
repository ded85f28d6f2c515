//! Random questions, and what an index answers to all of them.

use engine::search::{
    Criteria, FacetSearchRequest, FormatRequest, HitView, SearchRequest, SemanticRequest, Strategy,
    Window, locale,
};
use engine::{DocumentView, Engine, FieldFilter, ListDocuments};
use model::{Cancel, ServiceError};
use serde_json::{Value, json};
use testkit::Random;

use crate::settings_model::documents::{ATTRIBUTES, EMBEDDER, random_vector, random_word};

#[derive(Debug)]
pub enum Question {
    Search(SearchRequest),
    FacetSearch(FacetSearchRequest),
    Documents(ListDocuments),
    Settings,
    Fields,
    FieldDistribution,
}

impl Question {
    /// Returns fixed questions, then random ones.
    pub fn random_list(random: &mut Random, count: usize) -> Vec<Self> {
        let view = DocumentView { retrieve_vectors: true, ..DocumentView::default() };
        let all = ListDocuments { limit: usize::MAX, view, ..ListDocuments::default() };
        let mut list =
            vec![Self::Documents(all), Self::Settings, Self::Fields, Self::FieldDistribution];
        for _ in 0..count {
            list.push(match random.below(10) {
                0 => Self::FacetSearch(random_facet_search(random)),
                1 => Self::Documents(random_list(random)),
                _ => Self::Search(random_search(random)),
            });
        }
        list
    }

    /// Leaves out what is marked in texts. Which words a query is found by is taken from all words
    /// that were ever indexed and not merged away since, so a text that is not searched may have
    /// one marked that no document has any more.
    pub fn without_marks(self) -> Self {
        match self {
            Self::Search(mut request) => {
                request.view.format = None;
                Self::Search(request)
            }
            other => other,
        }
    }

    /// The answer, be it an error, as JSON that does not name the index.
    pub fn put_to(&self, engine: &Engine, uid: &str) -> Value {
        let wanted = Cancel::default();
        let answer = match self {
            Self::Search(request) => {
                engine.searcher().search(uid, request, &wanted).map(|answer| {
                    assert!(!answer.degraded, "a search ran out of time");
                    let hits: Value = serde_json::from_str(&answer.hits).expect("hits are JSON");
                    let facets = answer.facets.map(
                    |facets| json!({ "distribution": facets.distribution, "stats": facets.stats }),
                );
                    json!({ "hits": hits, "total": answer.total, "facets": facets })
                })
            }
            Self::FacetSearch(request) => engine
                .searcher()
                .facet_search(uid, request, &wanted)
                .map(|answer| json!(answer.hits)),
            Self::Documents(request) => {
                engine.documents().list(uid, request, &wanted).map(|page| {
                    let json = |text: &String| serde_json::from_str(text).expect("JSON");
                    let documents: Vec<Value> = page.results.iter().map(json).collect();
                    json!({ "documents": documents, "total": page.total })
                })
            }
            Self::Settings => engine.settings(uid).map(Value::Object),
            Self::Fields => engine
                .fields(uid, &FieldFilter::default(), (0, usize::MAX))
                .map(|page| page.results.iter().map(|field| format!("{field:?}")).collect()),
            Self::FieldDistribution => {
                engine.index_stats(uid).map(|stats| json!(stats.field_distribution))
            }
        };
        answer.unwrap_or_else(|error| refusal(&error, uid))
    }
}

fn refusal(error: &ServiceError, uid: &str) -> Value {
    let message = error.message.replace(&format!("`{uid}`"), "`the index`");
    json!({ "code": format!("{:?}", error.code), "message": message })
}

fn names(random: &mut Random, most: usize) -> Vec<String> {
    random.few_of(&ATTRIBUTES, most).into_iter().map(str::to_owned).collect()
}

fn random_search(random: &mut Random) -> SearchRequest {
    let offset = if random.percent(90) { 0 } else { random.below(10) };
    let window = match random.below(4) {
        0 => Window::Page { page: 1 + usize::from(random.percent(15)), hits_per_page: 5 },
        _ => Window::Offset { offset, limit: random.pick(&[3, 20, 20]) },
    };
    let facets = match random.below(10) {
        0 => vec!["*".to_owned()],
        1..3 => {
            let names = random.few_of(&["color", "brand", "price", "tags", "meta.author"], 2);
            names.into_iter().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let distinct = random.percent(8).then(|| random.pick(&["brand", "color", "price"]).to_owned());
    SearchRequest {
        text: random.percent(80).then(|| random_query(random)),
        window,
        criteria: Criteria {
            matching_strategy: random.pick(&[
                Strategy::Last,
                Strategy::Last,
                Strategy::Last,
                Strategy::All,
                Strategy::Any,
            ]),
            attributes_to_search_on: random.percent(6).then(|| names(random, 2)),
            locales: random.percent(15).then(|| {
                let codes = random.few_of(&["de", "sv", "ja", "zh", "ar", "fa"], 2);
                codes.into_iter().filter_map(locale::parse).collect()
            }),
            ranking_score_threshold: random.percent(8).then_some(0.6),
            distinct,
            ..Criteria::default()
        },
        filter: random.percent(20).then(|| json!(random_filter(random))),
        sort: if random.percent(15) { random_sort(random) } else { Vec::new() },
        facets,
        semantic: random.percent(15).then(|| random_semantic(random)),
        view: random_view(random),
        ..SearchRequest::default()
    }
}

fn random_semantic(random: &mut Random) -> SemanticRequest {
    SemanticRequest {
        embedder: EMBEDDER.to_owned(),
        ratio: random.pick(&[0.3, 0.8, 1.0]),
        fusion: engine::search::Fusion::Score,
        vector: random.percent(90).then(|| random_vector(random).to_vec()),
        media: None,
    }
}

/// Attributes that have words, if all have.
const SHOWN: [&str; 7] = ["title", "body", "tags", "meta", "parts", "brand", "color"];

fn random_view(random: &mut Random) -> HitView {
    let format = random.percent(40).then(|| FormatRequest {
        highlight: Some(SHOWN.map(str::to_owned).to_vec()),
        crop: random.percent(40).then(|| vec!["body:3".to_owned()]),
        ..FormatRequest::default()
    });
    HitView {
        attributes_to_retrieve: random.percent(20).then(|| names(random, 4)),
        format,
        retrieve_vectors: random.percent(20),
        ranking_score: true,
        ranking_score_details: true,
    }
}

fn random_query(random: &mut Random) -> String {
    let mut query = String::new();
    for place in 0..random.between(1, 3) {
        if place > 0 {
            query.push_str(random.pick(&[" ", " ", " ", "-", ", "]));
        }
        query.push_str(&random_term(random));
    }
    if random.percent(50) {
        query.push(' ');
    }
    query
}

fn random_term(random: &mut Random) -> String {
    let word = random_word(random);
    let mut letters: Vec<char> = word.chars().collect();
    let place = random.below(letters.len());
    match random.below(10) {
        0 => letters.truncate(place.max(1)),
        1 if letters.len() > 1 => drop(letters.remove(place)),
        2 => letters.insert(place, random.pick(&['a', 'e', ' '])),
        3 => return format!("\"{word}\""),
        4 if random.percent(40) => return format!("-{word}"),
        5 => return word.to_uppercase(),
        _ => {}
    }
    letters.into_iter().collect()
}

fn random_filter(random: &mut Random) -> String {
    let attribute = random.pick(&ATTRIBUTES);
    match random.below(9) {
        0 => format!("{attribute} EXISTS"),
        1 => format!("{attribute} IS NULL"),
        2 => format!("price {} {}", random.pick(&[">", "<=", "="]), random.below(12)),
        3 => format!("color != red AND {attribute} IS NOT EMPTY"),
        4 => "_geoRadius(45, 90, 4000000)".to_owned(),
        5 => format!("brand IN [acme, BOLT] OR {attribute} = '{}'", random_word(random)),
        6 => format!("meta.author = '{}'", random_word(random)),
        _ => format!("color = {}", random.pick(&["red", "BLUE"])),
    }
}

fn random_sort(random: &mut Random) -> Vec<String> {
    match random.below(4) {
        0 => vec!["_geoPoint(10, 10):asc".to_owned()],
        _ => {
            let names = random.few_of(&["price", "color", "brand", "title", "id"], 2);
            let order = random.pick(&["asc", "desc"]);
            names.into_iter().map(|name| format!("{name}:{order}")).collect()
        }
    }
}

fn random_facet_search(random: &mut Random) -> FacetSearchRequest {
    FacetSearchRequest {
        facet: random.pick(&["color", "brand", "title", "meta.author", "tags"]).to_owned(),
        text: random.percent(70).then(|| random.pick(&["r", "ac", "tea", "sun"]).to_owned()),
        exhaustive: random.percent(50),
        unlimited: false,
        among: SearchRequest {
            text: random.percent(30).then(|| random_query(random)),
            filter: random.percent(20).then(|| json!(random_filter(random))),
            ..SearchRequest::default()
        },
    }
}

fn random_list(random: &mut Random) -> ListDocuments {
    ListDocuments {
        offset: random.below(4),
        limit: 10,
        filter: random.percent(60).then(|| json!(random_filter(random))),
        sort: if random.percent(60) { random_sort(random) } else { Vec::new() },
        ..ListDocuments::default()
    }
}
