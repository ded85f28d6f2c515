//! tantivy's answers to questions about values: term, term-set and range queries, terms
//! aggregations, the top of a fast field; a count each time, and the stored documents of the hits.
//!
//! Where no order is asked for, the first hits are those that come first in the index: no score
//! is computed and nothing is sorted, which is the least that tantivy can do.

use std::fs;
use std::hint::black_box;
use std::ops::Bound;
use std::path::Path;
use std::time::Instant;

use ::tantivy::aggregation::AggregationCollector;
use ::tantivy::aggregation::agg_req::Aggregations;
use ::tantivy::collector::TopDocs;
use ::tantivy::query::{AllQuery, EnableScoring, Query, RangeQuery, TermQuery, TermSetQuery};
use ::tantivy::schema::{Field, IndexRecordOption, Type, Value as _};
use ::tantivy::{DocAddress, Index, Order, Searcher, TERMINATED, TantivyDocument, Term};
use anyhow::{Context, Result, bail};
use serde_json::json;

use super::tantivy_columns::JSON;
use crate::filtering::{Condition, Question, Sort, Workload};
use crate::searching::{self, Asked};

/// The server's default.
const VALUES_A_FACET: usize = 100;

/// The child's side of [`super::filter_with_tantivy`].
pub fn run(arguments: &[String]) -> Result<()> {
    let [folder, workloads] = arguments else { bail!("the peer takes two arguments") };
    let workloads: Vec<Workload> = serde_json::from_slice(&fs::read(workloads)?)?;
    let searcher = Index::open_in_dir(Path::new(folder))?.reader()?.searcher();
    let pid = std::process::id();
    let mut answered = Vec::new();
    for Workload { kind, questions } in &workloads {
        if !kind.peer_can_answer() {
            continue;
        }
        let (_, rounds) = kind.questions_and_rounds();
        let searching = searching::ask_all(pid, questions, rounds, |question| {
            ask(&searcher, question, kind.by_count())
        })?;
        answered.push((kind, searching));
    }
    println!("{}", serde_json::to_string(&answered)?);
    Ok(())
}

fn ask(searcher: &Searcher, question: &Question, by_count: bool) -> Result<Asked> {
    let begin = Instant::now();
    let query = query(searcher, &question.condition)?;
    let matches = query.count(searcher)?;
    let json_field = field(searcher, JSON)?;
    let mut answer = String::new();
    for address in hits(searcher, &*query, question)? {
        let document: TantivyDocument = searcher.doc(address)?;
        let stored = document.get_first(json_field).and_then(|value| value.as_str());
        answer.push_str(stored.context("a hit without its document")?);
    }
    if !question.facets.is_empty() {
        let aggregations = aggregations(searcher, &question.facets, by_count)?;
        let collector = AggregationCollector::from_aggs(aggregations, Default::default());
        answer.push_str(&serde_json::to_string(&searcher.search(&*query, &collector)?)?);
    }
    black_box(&answer);
    Ok(Asked { time: begin.elapsed(), matches: matches as u64 })
}

fn field(searcher: &Searcher, name: &str) -> Result<Field> {
    Ok(searcher.schema().get_field(name)?)
}

fn query(searcher: &Searcher, condition: &Condition) -> Result<Box<dyn Query>> {
    Ok(match condition {
        Condition::All => Box::new(AllQuery),
        Condition::Is { attribute, value } => {
            let term = Term::from_field_text(field(searcher, attribute)?, value);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        }
        Condition::Equals { attribute, number } => {
            let term = Term::from_field_i64(field(searcher, attribute)?, *number);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        }
        Condition::Between { attribute, from, to } => {
            let field = field(searcher, attribute)?;
            let bound = |number| Bound::Included(Term::from_field_i64(field, number));
            Box::new(RangeQuery::new(bound(*from), bound(*to)))
        }
        Condition::OneOf { attribute, values } => {
            let field = field(searcher, attribute)?;
            let terms = values.iter().map(|value| Term::from_field_text(field, value));
            Box::new(TermSetQuery::new(terms))
        }
        Condition::Within { .. } => bail!("the peer knows no positions"),
    })
}

/// The documents of the window.
fn hits(searcher: &Searcher, query: &dyn Query, question: &Question) -> Result<Vec<DocAddress>> {
    let Question { offset, limit, .. } = *question;
    if limit == 0 {
        return Ok(Vec::new());
    }
    match &question.sort {
        None => first_in_index(searcher, query, offset, limit),
        Some(Sort::ByNumber { attribute, descending }) => {
            let order = if *descending { Order::Desc } else { Order::Asc };
            let window = TopDocs::with_limit(limit).and_offset(offset);
            let best =
                searcher.search(query, &window.order_by_fast_field::<i64>(attribute, order))?;
            Ok(best.into_iter().map(|(_, address)| address).collect())
        }
        Some(Sort::Nearest { .. }) => bail!("the peer knows no positions"),
    }
}

/// Nothing has been deleted from this index: every document of a scorer is alive.
fn first_in_index(
    searcher: &Searcher,
    query: &dyn Query,
    offset: usize,
    limit: usize,
) -> Result<Vec<DocAddress>> {
    let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
    let mut first = Vec::with_capacity(offset + limit);
    for (segment, reader) in (0..).zip(searcher.segment_readers()) {
        let mut scorer = weight.scorer(reader, 1.0)?;
        let mut doc = scorer.doc();
        while doc != TERMINATED && first.len() < offset + limit {
            first.push(DocAddress::new(segment, doc));
            doc = scorer.advance();
        }
    }
    Ok(first.split_off(offset.min(first.len())))
}

/// The first values of each facet; of a number also its least and greatest value.
fn aggregations(searcher: &Searcher, facets: &[String], by_count: bool) -> Result<Aggregations> {
    let order = if by_count { json!({ "_count": "desc" }) } else { json!({ "_key": "asc" }) };
    let schema = searcher.schema();
    let mut request = serde_json::Map::new();
    for facet in facets {
        let terms = json!({ "field": facet, "size": VALUES_A_FACET, "order": order });
        request.insert(facet.clone(), json!({ "terms": terms }));
        let field = schema.get_field(facet)?;
        if schema.get_field_entry(field).field_type().value_type() == Type::I64 {
            request.insert(format!("{facet} stats"), json!({ "stats": { "field": facet } }));
        }
    }
    Ok(serde_json::from_value(request.into())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Documents, Set};
    use crate::filtering::Attributes;
    use crate::peers::tantivy_columns;

    #[test]
    fn answers_every_kind_of_question() {
        let folder = std::env::temp_dir().join(format!("sonde-bench-t-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let packages: Vec<_> = (0..100)
            .map(|n| json!({ "id": n, "owner": format!("o{}", n % 5), "downloads": n / 2 }))
            .collect();
        let documents = Documents::write(folder.join("documents.ndjson"), &packages).unwrap();
        let attributes = Attributes::of(Set::Npm).unwrap();
        tantivy_columns::index(attributes, &documents, &folder.join("index"), 64 << 20).unwrap();
        let searcher =
            Index::open_in_dir(folder.join("index")).unwrap().reader().unwrap().searcher();

        let owner = || "owner".to_owned();
        let downloads = || "downloads".to_owned();
        let matches = |question: &Question| ask(&searcher, question, false).unwrap().matches;
        let filter = |condition: Condition| matches(&Question::filter(condition));
        assert_eq!(filter(Condition::All), 100);
        assert_eq!(filter(Condition::Is { attribute: owner(), value: "o1".to_owned() }), 20);
        assert_eq!(filter(Condition::Equals { attribute: downloads(), number: 3 }), 2);
        assert_eq!(filter(Condition::Between { attribute: downloads(), from: 3, to: 7 }), 10);
        let values = ["o1", "o4", "none"].map(str::to_owned).into();
        assert_eq!(filter(Condition::OneOf { attribute: owner(), values }), 40);
        assert_eq!(
            matches(&Question::facets(&["host", "owner", "downloads"], Condition::All)),
            100
        );

        let sort = Sort::ByNumber { attribute: downloads(), descending: true };
        let question = Question { offset: 10, ..Question::sorted(sort, Condition::All) };
        let sorted = hits(&searcher, &AllQuery, &question).unwrap();
        assert_eq!(sorted.len(), 20);
        let first: TantivyDocument = searcher.doc(sorted[0]).unwrap();
        let stored = first.get_first(field(&searcher, JSON).unwrap());
        assert!(stored.and_then(|value| value.as_str()).unwrap().contains(r#""downloads":44,"#));
        let late = Question { offset: 95, ..Question::filter(Condition::All) };
        assert_eq!(hits(&searcher, &AllQuery, &late).unwrap().len(), 5);
        let aggregations = aggregations(&searcher, &[owner(), downloads()], false).unwrap();
        let collector = AggregationCollector::from_aggs(aggregations, Default::default());
        let counts = searcher.search(&AllQuery, &collector).unwrap();
        let counts = serde_json::to_value(counts).unwrap();
        assert_eq!(counts["owner"]["buckets"][1], json!({ "key": "o1", "doc_count": 20 }));
        assert_eq!(counts["downloads stats"]["max"], 49.0);
        fs::remove_dir_all(folder).unwrap();
    }
}
