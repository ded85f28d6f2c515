//! `/indexes`, their stats and fields.

use model::Code;
use serde_json::json;

use crate::openapi::operation::{Operation, delete, get, page_of, paging, patch, post};
use crate::schema::{Member, always, boolean, integer, list, maybe, named, object, one_of, text};

pub fn all() -> Vec<Operation> {
    vec![
        get("/indexes", "List indexes")
            .about("Lists the indexes that the key can access, sorted by name.")
            .query(paging(Code::InvalidIndexOffset, Code::InvalidIndexLimit))
            .answers(200, page_of(named("Index"))),
        post("/indexes", "Create an index")
            .about("Adding documents creates a missing index automatically.")
            .takes([
                always("uid", text(), "Name: letters, digits, `-` and `_`; at most 400 bytes.")
                    .code(Code::InvalidIndexUid),
                maybe("primaryKey", text().or_null(), "Attribute that contains the document IDs.")
                    .code(Code::InvalidIndexPrimaryKey),
            ])
            .codes(&[Code::MissingIndexUid])
            .enqueues(),
        get("/indexes/{uid}", "Get an index").reads_index().answers(200, named("Index")),
        patch("/indexes/{uid}", "Update or rename an index")
            .about("The primary key can only be changed while the index has no documents.")
            .takes([
                maybe("primaryKey", text().or_null(), "New primary key.")
                    .code(Code::InvalidIndexPrimaryKey),
                maybe("uid", text().or_null(), "New name of the index.")
                    .code(Code::InvalidIndexUid),
            ])
            .codes(&[Code::ImmutableIndexCreatedAt, Code::ImmutableIndexUpdatedAt])
            .enqueues(),
        delete("/indexes/{uid}", "Delete an index and its documents").enqueues(),
        post("/indexes/{uid}/compact", "Compact an index")
            .about("Merges all segments into one and frees the space of deleted documents.")
            .enqueues_as(202),
        fields(),
        post("/swap-indexes", "Swap indexes")
            .about("Swaps all pairs atomically. With `rename`, the second name must be free.")
            .takes_json(list(object([
                always("indexes", list(text()), "Names of the two indexes."),
                maybe("rename", boolean().default(json!(false)), "Renames first to second."),
            ])))
            .codes(&[
                Code::MissingSwapIndexes,
                Code::InvalidSwapIndexes,
                Code::InvalidSwapRename,
                Code::InvalidSwapDuplicateIndexFound,
                Code::InvalidIndexUid,
            ])
            .enqueues(),
        get("/indexes/{uid}/stats", "Get the stats of an index")
            .query(stats_parameters())
            .reads_index()
            .answers(200, named("IndexStats")),
        get("/stats", "Get the stats of all indexes")
            .query(stats_parameters())
            .answers(200, named("Stats")),
    ]
}

fn stats_parameters() -> [Member; 2] {
    [
        maybe("showInternalDatabaseSizes", boolean().default(json!(false)), "Sizes by file type.")
            .code(Code::InvalidStatsShowInternalDatabaseSizes),
        maybe("sizeFormat", one_of(&["raw", "human"]).default(json!("raw")), "Bytes, or text.")
            .code(Code::InvalidStatsSizeFormat),
    ]
}

fn fields() -> Operation {
    let flag = || boolean().or_null();
    let filter = object([
        maybe("attributePatterns", list(text()).or_null(), "Patterns such as `price*`."),
        maybe("displayed", flag(), ""),
        maybe("searchable", flag(), ""),
        maybe("sortable", flag(), ""),
        maybe("distinct", flag(), ""),
        maybe("rankingRule", flag(), ""),
        maybe("filterable", flag(), ""),
    ]);
    post("/indexes/{uid}/fields", "List fields with their settings")
        .takes([
            maybe("offset", integer().default(json!(0)), "").code(Code::InvalidIndexOffset),
            maybe("limit", integer().default(json!(20)), "").code(Code::InvalidIndexLimit),
            maybe("filter", filter.or_null(), "Only list fields that match the filter.")
                .code(Code::InvalidIndexFieldsFilter),
        ])
        .codes(&[
            Code::InvalidIndexFieldsFilterAttributePatterns,
            Code::InvalidIndexFieldsFilterDisplayed,
            Code::InvalidIndexFieldsFilterSearchable,
            Code::InvalidIndexFieldsFilterSortable,
            Code::InvalidIndexFieldsFilterDistinct,
            Code::InvalidIndexFieldsFilterRankingRule,
            Code::InvalidIndexFieldsFilterFilterable,
        ])
        .reads_index()
        .answers(200, page_of(named("Field")))
}
