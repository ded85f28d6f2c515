//! `/indexes` and what is told of them.

use model::Code;
use serde_json::json;

use crate::openapi::operation::{Operation, delete, get, page_of, paging, patch, post};
use crate::openapi::schema::{
    Member, always, boolean, integer, list, maybe, named, object, one_of, text,
};

pub fn all() -> Vec<Operation> {
    vec![
        get("/indexes", "List indexes")
            .tells("Those that the key may see, by name.")
            .query(paging(Code::InvalidIndexOffset, Code::InvalidIndexLimit))
            .answers(200, page_of(named("Index"))),
        post("/indexes", "Create an index")
            .tells("Not needed before documents are added: that creates the index.")
            .takes([
                always("uid", text(), "Letters, digits, `-` and `_`; at most 400 bytes.")
                    .code(Code::InvalidIndexUid),
                maybe("primaryKey", text().or_null(), "The attribute that holds the ids.")
                    .code(Code::InvalidIndexPrimaryKey),
            ])
            .codes(&[Code::MissingIndexUid])
            .enqueues(),
        get("/indexes/{uid}", "Read an index").reads_index().answers(200, named("Index")),
        patch("/indexes/{uid}", "Change or rename an index")
            .tells("The primary key can be changed while there are no documents.")
            .takes([
                maybe("primaryKey", text().or_null(), "").code(Code::InvalidIndexPrimaryKey),
                maybe("uid", text().or_null(), "A new name.").code(Code::InvalidIndexUid),
            ])
            .codes(&[Code::ImmutableIndexCreatedAt, Code::ImmutableIndexUpdatedAt])
            .enqueues(),
        delete("/indexes/{uid}", "Delete an index with its documents").enqueues(),
        post("/indexes/{uid}/compact", "Write an index anew")
            .tells("Merges all segments into one and frees what deleted documents took.")
            .enqueues_as(202),
        fields(),
        post("/swap-indexes", "Exchange the names of indexes")
            .tells("All pairs at once, or none. With `rename` the second name must be free.")
            .takes_json(list(object([
                always("indexes", list(text()), "Two names."),
                maybe(
                    "rename",
                    boolean().default(json!(false)),
                    "Gives the first the second name.",
                ),
            ])))
            .codes(&[
                Code::MissingSwapIndexes,
                Code::InvalidSwapIndexes,
                Code::InvalidSwapRename,
                Code::InvalidSwapDuplicateIndexFound,
                Code::InvalidIndexUid,
            ])
            .enqueues(),
        get("/indexes/{uid}/stats", "Figures of an index")
            .query(stats_parameters())
            .reads_index()
            .answers(200, named("IndexStats")),
        get("/stats", "Figures of the instance")
            .query(stats_parameters())
            .answers(200, named("Stats")),
    ]
}

fn stats_parameters() -> [Member; 2] {
    [
        maybe("showInternalDatabaseSizes", boolean().default(json!(false)), "By kind of file.")
            .code(Code::InvalidStatsShowInternalDatabaseSizes),
        maybe("sizeFormat", one_of(&["raw", "human"]).default(json!("raw")), "Bytes, or texts.")
            .code(Code::InvalidStatsSizeFormat),
    ]
}

fn fields() -> Operation {
    let flag = || boolean().or_null();
    let filter = object([
        maybe("attributePatterns", list(text()).or_null(), "`title`, `price*`."),
        maybe("displayed", flag(), ""),
        maybe("searchable", flag(), ""),
        maybe("sortable", flag(), ""),
        maybe("distinct", flag(), ""),
        maybe("rankingRule", flag(), ""),
        maybe("filterable", flag(), ""),
    ]);
    post("/indexes/{uid}/fields", "What the settings say of each field")
        .takes([
            maybe("offset", integer().default(json!(0)), "").code(Code::InvalidIndexOffset),
            maybe("limit", integer().default(json!(20)), "").code(Code::InvalidIndexLimit),
            maybe("filter", filter.or_null(), "Which fields are listed.")
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
