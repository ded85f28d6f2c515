//! An index of texts, and what a query finds in it: which of them, and what of each is marked.

use std::sync::LazyLock;

use engine::search::{Criteria, FormatRequest, HitView, SearchRequest, locale};
use model::{Cancel, IndexUid};
use serde_json::{Value, json};
use settings::Change;
use tasks::{Method, Status, Task};

use crate::support::Instance;

pub struct Texts {
    instance: Instance,
}

/// Every text of the fixtures in one index, as in a shop of the world: no language is told.
pub static WORLD: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(json!({}), &fixtures().collect::<Vec<_>>()));

/// The texts of the fixtures in one language, with these settings.
pub fn texts_of(code: &str, settings: Value) -> Texts {
    let of_language = fixtures().filter(|(id, _)| id.starts_with(code));
    Texts::new(settings, &of_language.collect::<Vec<_>>())
}

/// Ids, which begin with the code of a language, and texts.
fn fixtures() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = [include_str!("declaration.txt"), include_str!("sentences.txt")];
    let lines = files.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("id, tab, text"))
}

impl Texts {
    /// Documents of one attribute `text`, by their ids.
    pub fn new(settings: Value, texts: &[(&str, &str)]) -> Self {
        let documents: Vec<Value> =
            texts.iter().map(|(id, text)| json!({ "id": id, "text": text })).collect();
        let mut settings = settings;
        settings["searchableAttributes"] = json!(["text"]);
        Self::of_documents(settings, &documents)
    }

    pub fn of_documents(settings: Value, documents: &[Value]) -> Self {
        let texts = Self { instance: Instance::new() };
        texts.change(settings);
        texts.done(&texts.instance.add("texts", Method::Replace, &json!(documents).to_string()));
        texts
    }

    /// Changes settings of the index as it is.
    pub fn change(&self, settings: Value) {
        let change = Change::of_many(settings).expect("good settings");
        let uid = IndexUid::new("texts").expect("a good name");
        let task = self.instance.engine().change_settings(uid, change, true, None);
        self.done(&task.expect("it is enqueued"));
    }

    fn done(&self, task: &Task) {
        let task = self.instance.wait(task);
        assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
    }

    /// Returns the hits of a query by id: the id and the marked words, with `|` between.
    fn find(
        &self,
        query: &str,
        attributes: Option<&[&str]>,
        locales: Option<&[&str]>,
    ) -> Vec<(String, String)> {
        let language = |code: &&str| locale::parse(code).expect("a locale");
        let format = FormatRequest {
            highlight: Some(vec!["*".to_owned()]),
            pre_tag: "\u{1}".to_owned(),
            post_tag: "\u{2}".to_owned(),
            ..FormatRequest::default()
        };
        let request = SearchRequest {
            text: Some(query.to_owned()),
            criteria: Criteria {
                attributes_to_search_on: attributes
                    .map(|names| names.iter().map(|&name| name.to_owned()).collect()),
                locales: locales.map(|codes| codes.iter().map(language).collect()),
                ..Criteria::default()
            },
            view: HitView { format: Some(format), ..HitView::default() },
            ..SearchRequest::default()
        };
        let engine = self.instance.engine();
        let answer =
            engine.searcher().search("texts", &request, &Cancel::default()).expect("an answer");
        let hits: Vec<Value> = serde_json::from_str(&answer.hits).expect("hits are JSON");
        let mut found: Vec<(String, String)> = hits.iter().map(id_and_marks).collect();
        found.sort();
        found
    }

    /// Asserts which texts a query finds, and what is marked in each.
    #[track_caller]
    pub fn check(&self, query: &str, expected: &[(&str, &str)]) {
        self.compare(query, self.find(query, None, None), expected);
    }

    /// Like `check`, with `locales` in the query.
    #[track_caller]
    pub fn check_in(&self, locales: &[&str], query: &str, expected: &[(&str, &str)]) {
        self.compare(query, self.find(query, None, Some(locales)), expected);
    }

    /// Like `check`, in some attributes only.
    #[track_caller]
    pub fn check_on(&self, attributes: &[&str], query: &str, expected: &[(&str, &str)]) {
        self.compare(query, self.find(query, Some(attributes), None), expected);
    }

    #[track_caller]
    fn compare(&self, query: &str, found: Vec<(String, String)>, expected: &[(&str, &str)]) {
        let found: Vec<(&str, &str)> = found.iter().map(|(id, m)| (&id[..], &m[..])).collect();
        assert_eq!(found, expected, "`{query}`");
    }
}

fn id_and_marks(hit: &Value) -> (String, String) {
    let mut marks = Vec::new();
    for (_, value) in hit["_formatted"].as_object().into_iter().flatten() {
        let pieces = value.as_str().unwrap_or_default().split('\u{1}').skip(1);
        marks.extend(pieces.map(|piece| piece.split('\u{2}').next().unwrap_or_default()));
    }
    (hit["id"].as_str().expect("an id").to_owned(), marks.join("|"))
}
