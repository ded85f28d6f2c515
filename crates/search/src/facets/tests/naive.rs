//! Facets as they are defined: by looking at every value of every document.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use settings::{FacetOrder, Settings};
use text::{fold, value_form};

use crate::facets::merge::Number;

/// Documents by their number.
pub type Documents = BTreeMap<u32, Value>;

/// Values and their counts.
type Shown = Vec<(String, u64)>;

#[derive(Debug)]
enum Leaf {
    Number(f64),
    Text { normal: String, spelling: String },
}

#[derive(Debug, Default, Clone)]
struct Counted {
    spelling: String,
    count: u64,
}

/// The values of an attribute over the candidates, and the extremes of its numbers.
pub fn distribution(
    documents: &Documents,
    is_candidate: impl Fn(u32) -> bool,
    attribute: &str,
    settings: &Settings,
) -> (Shown, Option<(f64, f64)>) {
    let candidates: Vec<&Value> =
        documents.iter().filter(|(id, _)| is_candidate(**id)).map(|(_, it)| it).collect();
    let mut numbers: BTreeMap<Number, u64> = BTreeMap::new();
    let mut texts: BTreeMap<String, Counted> = BTreeMap::new();
    for document in &candidates {
        let mut seen = Vec::new();
        for leaf in leaves(document, attribute) {
            match leaf {
                Leaf::Number(number) => {
                    let count = numbers.entry(Number(number)).or_default();
                    if !seen.contains(&number.to_string()) {
                        *count += 1;
                        seen.push(number.to_string());
                    }
                }
                Leaf::Text { normal, spelling } => {
                    count_text(&mut texts, normal, spelling, &mut seen);
                }
            }
        }
    }
    let mut numbers: Vec<(f64, u64)> =
        numbers.into_iter().map(|(Number(number), count)| (number, count)).collect();
    let extremes = numbers.first().zip(numbers.last()).map(|(first, last)| (first.0, last.0));

    let most = settings.faceting.max_values_per_facet;
    let by_count = order(settings, attribute) == FacetOrder::Count;
    if by_count {
        numbers.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)));
    } else if candidates.len() <= 3000 {
        numbers.sort_by_key(|(number, _)| number.to_string());
    }
    let numbers = numbers.into_iter().map(|(number, count)| (number.to_string(), count));
    let mut shown: Shown = numbers.take(most).collect();
    let left = most - shown.len();
    for (text, count) in in_order(texts.into_iter().collect(), by_count).into_iter().take(left) {
        match shown.iter_mut().find(|(number, _)| *number == text) {
            Some(number) => number.1 = count,
            None => shown.push((text, count)),
        }
    }
    (shown, extremes)
}

/// The strings that a query finds.
pub fn search(
    documents: &Documents,
    is_candidate: impl Fn(u32) -> bool,
    attribute: &str,
    query: Option<&str>,
    settings: &Settings,
) -> Shown {
    let mut texts: BTreeMap<String, Counted> = BTreeMap::new();
    for (id, document) in documents {
        let mut seen = Vec::new();
        for leaf in leaves(document, attribute) {
            let Leaf::Text { normal, spelling } = leaf else { continue };
            if is_candidate(*id) {
                count_text(&mut texts, normal, spelling, &mut seen);
            } else {
                texts.entry(normal).or_insert(Counted { spelling, count: 0 });
            }
        }
    }
    texts.retain(|_, counted| counted.count > 0);
    let by_count = order(settings, attribute) == FacetOrder::Count;
    let mut texts: Vec<(String, Counted)> = texts.into_iter().collect();
    if let Some(query) = query {
        texts.retain(|(normal, _)| is_found(query, &folded(normal), settings));
        if !by_count {
            texts.sort_by_key(|(normal, _)| (folded(normal), normal.clone()));
        }
    }
    let mut shown = in_order(texts, by_count);
    shown.truncate(settings.faceting.max_values_per_facet);
    shown
}

fn count_text(
    texts: &mut BTreeMap<String, Counted>,
    normal: String,
    spelling: String,
    seen: &mut Vec<String>,
) {
    let key = format!("text {normal}");
    let counted = texts.entry(normal).or_insert(Counted { spelling, count: 0 });
    if !seen.contains(&key) {
        counted.count += 1;
        seen.push(key);
    }
}

fn in_order(mut texts: Vec<(String, Counted)>, by_count: bool) -> Shown {
    if by_count {
        texts.sort_by(|a, b| (b.1.count, &b.0).cmp(&(a.1.count, &a.0)));
    }
    texts.into_iter().map(|(_, counted)| (counted.spelling, counted.count)).collect()
}

fn order(settings: &Settings, attribute: &str) -> FacetOrder {
    *settings.faceting.orders.get(attribute).unwrap_or(&settings.faceting.order)
}

fn folded(normal: &str) -> String {
    let mut out = String::new();
    fold(normal, &mut out);
    out
}

fn is_found(query: &str, value: &str, settings: &Settings) -> bool {
    if query.starts_with(' ') {
        return false;
    }
    let mut normal = String::new();
    value_form(query, &mut normal);
    let query = folded(&normal) + &query[query.trim_end().len()..];
    let typos = &settings.typo_tolerance;
    let budget = match query.len() {
        _ if !typos.enabled => 0,
        length if length < usize::from(typos.one_typo) => 0,
        length if length < usize::from(typos.two_typos) => 1,
        _ => 2,
    };
    let query: Vec<char> = query.chars().collect();
    let value: Vec<char> = value.chars().collect();
    (0..=value.len()).any(|end| distance(&query, &value[..end]) <= budget)
}

/// Insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut least =
                    (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

fn leaves(document: &Value, attribute: &str) -> Vec<Leaf> {
    let mut all = Vec::new();
    note_members(document.as_object().unwrap(), "", attribute, &mut all);
    all
}

fn note_members(object: &Map<String, Value>, outer: &str, wanted: &str, all: &mut Vec<Leaf>) {
    for (name, value) in object {
        let name = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
        note(value, &name, wanted, all);
    }
}

fn note(value: &Value, name: &str, wanted: &str, all: &mut Vec<Leaf>) {
    match value {
        Value::Object(object) => note_members(object, name, wanted, all),
        Value::Array(items) => items.iter().for_each(|item| note(item, name, wanted, all)),
        _ if name != wanted => {}
        Value::Number(number) => all.push(Leaf::Number(number.as_f64().unwrap() + 0.0)),
        Value::String(text) if !text.is_empty() => note_text(text.clone(), all),
        Value::Bool(value) => note_text(value.to_string(), all),
        Value::String(_) | Value::Null => {}
    }
}

fn note_text(spelling: String, all: &mut Vec<Leaf>) {
    let mut normal = String::new();
    value_form(&spelling, &mut normal);
    all.push(Leaf::Text { normal, spelling });
}
