//! Indexes, their figures and fields, and documents.

use super::{Named, Schema};
use crate::openapi::schema::{
    always, any_of, boolean, date, integer, list, map, maybe, named, object, one_of, open, text,
};

pub fn all() -> Vec<Named> {
    vec![
        ("Index", index()),
        ("Document", open().about("A document: any members, an id among them.")),
        ("DocumentPayload", any_of([list(named("Document")), named("Document")])),
        (
            "Size",
            any_of([integer(), text()]).about("Bytes, or a text with a unit (`sizeFormat=human`)."),
        ),
        ("IndexStats", index_stats()),
        ("Stats", stats()),
        ("Field", field()),
        (
            "Filter",
            any_of([text(), list(any_of([text(), list(text())]))])
                .about("An expression, or a list: members are joined by AND, an inner list by OR."),
        ),
    ]
}

fn index() -> Schema {
    object([
        always("uid", text(), "Its name."),
        always("createdAt", date(), ""),
        always("updatedAt", date(), ""),
        always("primaryKey", text().or_null(), "The attribute that holds the ids."),
    ])
}

fn index_stats() -> Schema {
    object([
        always("numberOfDocuments", integer(), ""),
        always("rawDocumentDbSize", named("Size"), "All documents as they are stored."),
        always("avgDocumentSize", named("Size"), ""),
        always("isIndexing", boolean(), "Whether a batch of it runs."),
        maybe("internalDatabaseSizes", map(named("Size")), "By kind of file, where asked for."),
        always("numberOfEmbeddings", integer(), ""),
        always("numberOfEmbeddedDocuments", integer(), ""),
        always("fieldDistribution", map(integer()), "Documents that have each field."),
    ])
}

fn stats() -> Schema {
    object([
        always("databaseSize", named("Size"), "Of the whole instance."),
        always("usedDatabaseSize", named("Size"), "Without what merging will free."),
        always("lastUpdate", date().or_null(), "Of the indexes that the key may see."),
        always("indexes", map(named("IndexStats")), "Those that the key may see."),
    ])
}

fn field() -> Schema {
    let enabled = || object([always("enabled", boolean(), "")]);
    let ranking_rule =
        object([always("enabled", boolean(), ""), maybe("order", one_of(&["asc", "desc"]), "")]);
    let filterable = object([
        always("enabled", boolean(), ""),
        always("sortBy", one_of(&["alpha", "count"]), "Order of its values as a facet."),
        always("facetSearch", boolean(), ""),
        always("equality", boolean(), "`=`, `!=`, `IN`."),
        always("comparison", boolean(), "`<`, `>`, `TO`."),
    ]);
    object([
        always("name", text(), "With dots where it is a member of another."),
        always("displayed", enabled(), ""),
        always("searchable", enabled(), ""),
        always("sortable", enabled(), ""),
        always("distinct", enabled(), ""),
        always("rankingRule", ranking_rule, ""),
        always("filterable", filterable, ""),
        always("localized", object([always("locales", list(text()), "")]), ""),
    ])
}
