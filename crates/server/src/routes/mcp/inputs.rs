//! Arguments of the tools, as JSON Schema. Assistants read all of it first, so it contains the
//! arguments that help them and few words. A route may accept more than its tool lists, and refuses
//! unknown members.

use serde_json::{Map, Value, json};

type Property = (&'static str, Value);

fn object<const N: usize>(required: &[&str], properties: [Property; N]) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn text(name: &'static str, about: &str) -> Property {
    (name, json!({ "type": "string", "description": about }))
}

fn texts(name: &'static str, about: &str) -> Property {
    (name, json!({ "type": "array", "items": { "type": "string" }, "description": about }))
}

fn count(name: &'static str, about: &str) -> Property {
    (name, json!({ "type": "integer", "minimum": 0, "description": about }))
}

fn flag(name: &'static str, about: &str) -> Property {
    (name, json!({ "type": "boolean", "description": about }))
}

fn index_uid() -> Property {
    text("indexUid", "Name of the index.")
}

fn offset() -> Property {
    count("offset", "Number of results to skip; 0 by default.")
}

fn limit() -> Property {
    count("limit", "Maximum number of results; 20 by default.")
}

fn id() -> Property {
    ("id", json!({ "type": ["string", "integer"], "description": "Id of the document." }))
}

fn filter() -> Property {
    let about = "Conditions on filterable attributes, such as `genre = novel AND year >= 2000`, \
                 `tags IN [a, b]`, `author EXISTS`, `_geoRadius(48.85, 2.35, 5000)`.";
    text("filter", about)
}

fn sort() -> Property {
    texts("sort", "Sortable attributes with a direction, such as `price:asc`.")
}

fn retrieved() -> Property {
    texts("attributesToRetrieve", "Fields to return for each hit; all by default.")
}

fn hybrid() -> Property {
    let schema = json!({
        "type": "object",
        "description": "Also searches by meaning.",
        "properties": {
            "embedder": { "type": "string", "description": "Name of an embedder in the settings." },
            "semanticRatio": {
                "type": "number", "minimum": 0, "maximum": 1,
                "description": "0 ranks by keywords only, 1 by meaning only; 0.5 by default.",
            },
            "fusion": {
                "type": "string", "enum": ["score", "rrf", "normalized"],
                "description": "How the hits by keywords and by meaning are merged: by score \
                                (the default), by rank, or by scores scaled to the same range.",
            },
        },
        "required": ["embedder"],
    });
    ("hybrid", schema)
}

pub fn list_indexes() -> Value {
    object(&[], [offset(), limit()])
}

pub fn of_index() -> Value {
    object(&["indexUid"], [index_uid()])
}

/// Arguments of a search, alone or in a multi-search.
fn of_search() -> [Property; 11] {
    [
        index_uid(),
        text("q", "Query text; without it, all documents match."),
        filter(),
        sort(),
        offset(),
        limit(),
        retrieved(),
        texts("facets", "Filterable attributes whose values are counted over the results."),
        hybrid(),
        texts("attributesToSearchOn", "Restricts the search to these attributes."),
        flag("showRankingScore", "Adds a relevance score from 0 to 1 to each hit."),
    ]
}

pub fn search() -> Value {
    object(&["indexUid"], of_search())
}

pub fn multi_search() -> Value {
    let queries = json!({
        "type": "array",
        "items": object(&["indexUid"], of_search()),
        "description": "The searches, each with its index.",
    });
    let federation = json!({
        "type": "object",
        "description": "Merges all hits into one list; `{}` is enough. The queries then must not \
                        contain `offset`, `limit` or `facets`.",
        "properties": { "offset": offset().1, "limit": limit().1 },
    });
    object(&["queries"], [("queries", queries), ("federation", federation)])
}

pub fn facet_search() -> Value {
    object(
        &["indexUid", "facetName"],
        [
            index_uid(),
            text("facetName", "A filterable attribute."),
            text("facetQuery", "Prefix of the values; without it, all values match."),
            text("q", "Counts only documents that match this query text."),
            filter(),
        ],
    )
}

pub fn similar_documents() -> Value {
    object(
        &["indexUid", "id", "embedder"],
        [
            index_uid(),
            id(),
            text("embedder", "Name of an embedder in the settings."),
            filter(),
            offset(),
            limit(),
            retrieved(),
            flag("showRankingScore", "Adds a similarity score from 0 to 1 to each hit."),
        ],
    )
}

pub fn get_document() -> Value {
    object(&["indexUid", "id"], [index_uid(), id(), fields()])
}

pub fn list_documents() -> Value {
    let ids = json!({
        "type": "array", "items": { "type": ["string", "integer"] },
        "description": "Returns only the documents with these ids.",
    });
    object(
        &["indexUid"],
        [index_uid(), ("ids", ids), filter(), sort(), offset(), limit(), fields()],
    )
}

fn fields() -> Property {
    texts("fields", "Fields to return; all by default.")
}
