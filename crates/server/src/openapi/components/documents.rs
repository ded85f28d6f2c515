//! Schemas of indexes, their stats and fields, and documents.

use super::{Named, Schema};
use crate::schema::{
    always, any_of, boolean, date, integer, list, map, maybe, named, object, one_of, open, text,
};

pub fn all() -> Vec<Named> {
    vec![
        ("Index", index()),
        ("Document", open().about("Document with any fields, including an ID.")),
        ("DocumentPayload", any_of([list(named("Document")), named("Document")])),
        (
            "Size",
            any_of([integer(), text()]).about("Bytes, or text with a unit (`sizeFormat=human`)."),
        ),
        ("IndexStats", index_stats()),
        ("Stats", stats()),
        ("Field", field()),
        (
            "Filter",
            any_of([text(), list(any_of([text(), list(text())]))])
                .about("Expression, or a list whose items are joined by AND, inner lists by OR."),
        ),
    ]
}

fn index() -> Schema {
    object([
        always("uid", text(), "Name of the index."),
        always("createdAt", date(), ""),
        always("updatedAt", date(), ""),
        always("primaryKey", text().or_null(), "Attribute that contains the document IDs."),
    ])
}

fn index_stats() -> Schema {
    object([
        always("numberOfDocuments", integer(), ""),
        always("rawDocumentDbSize", named("Size"), "Size of all stored documents."),
        always("avgDocumentSize", named("Size"), ""),
        always("isIndexing", boolean(), "Whether a batch of the index is being processed."),
        maybe("internalDatabaseSizes", map(named("Size")), "Sizes by file type, if requested."),
        always("numberOfEmbeddings", integer(), ""),
        always("numberOfEmbeddedDocuments", integer(), ""),
        always("fieldDistribution", map(integer()), "Number of documents with each field."),
    ])
}

fn stats() -> Schema {
    object([
        always("databaseSize", named("Size"), "Size of the whole instance."),
        always("usedDatabaseSize", named("Size"), "Size without the space that merges will free."),
        always("lastUpdate", date().or_null(), "Latest update of the indexes in `indexes`."),
        always("indexes", map(named("IndexStats")), "Indexes that the key can access."),
    ])
}

fn field() -> Schema {
    let enabled = || object([always("enabled", boolean(), "")]);
    let ranking_rule =
        object([always("enabled", boolean(), ""), maybe("order", one_of(&["asc", "desc"]), "")]);
    let filterable = object([
        always("enabled", boolean(), ""),
        always("sortBy", one_of(&["alpha", "count"]), "Order of facet values."),
        always("facetSearch", boolean(), ""),
        always("equality", boolean(), "Whether `=`, `!=` and `IN` are supported."),
        always("comparison", boolean(), "Whether `<`, `>` and `TO` are supported."),
    ]);
    object([
        always("name", text(), "Name of the field, with dots for nested fields."),
        always("displayed", enabled(), ""),
        always("searchable", enabled(), ""),
        always("sortable", enabled(), ""),
        always("distinct", enabled(), ""),
        always("rankingRule", ranking_rule, ""),
        always("filterable", filterable, ""),
        always("localized", object([always("locales", list(text()), "")]), ""),
    ])
}
