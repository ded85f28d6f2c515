//! Documents of an index.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::search::document_id;
use crate::openapi::operation::{
    JSON, NDJSON, Operation, delete, get, page_with_remotes, post, put,
};
use crate::openapi::schema::{
    Member, always, anything, boolean, integer, list, maybe, named, open, text,
};

pub fn all() -> Vec<Operation> {
    vec![
        get("/indexes/{uid}/documents", "List documents")
            .query(list_members(true))
            .reads_index()
            .codes(OF_LISTS)
            .queues()
            .answers(200, page_with_remotes(named("Document"))),
        addition(post("/indexes/{uid}/documents", "Add or replace documents"))
            .tells("A document with an id that is there takes the place of the old one."),
        addition(put("/indexes/{uid}/documents", "Add or update documents"))
            .tells("Fields that are sent take the place of the old ones, the others stay."),
        delete("/indexes/{uid}/documents", "Delete all documents").query([metadata()]).enqueues(),
        post("/indexes/{uid}/documents/fetch", "List documents, asked for in a body")
            .takes(list_members(false))
            .reads_index()
            .codes(OF_LISTS)
            .queues()
            .answers(200, page_with_remotes(named("Document"))),
        post("/indexes/{uid}/documents/delete", "Delete documents by a filter")
            .query([metadata()])
            .takes([always("filter", named("Filter"), "").code(Code::InvalidDocumentFilter)])
            .codes(&[Code::MissingDocumentFilter, Code::FeatureNotEnabled])
            .enqueues(),
        post("/indexes/{uid}/documents/delete-batch", "Delete documents by their ids")
            .query([metadata()])
            .takes_json(list(anything()).about("Ids: texts or numbers."))
            .enqueues(),
        post("/indexes/{uid}/documents/edit", "Edit documents by a function")
            .query([metadata()])
            .takes([
                maybe("filter", named("Filter").or_null(), "Which ones; all without it.")
                    .code(Code::InvalidDocumentFilter),
                maybe("context", open().or_null(), "What the function sees as `context`.")
                    .code(Code::InvalidDocumentEditionContext),
                always("function", text(), "Rhai; it sees the document as `doc`.")
                    .code(Code::InvalidDocumentEditionFunctionFilter),
            ])
            .codes(&[Code::MissingDocumentEditionFunction])
            .needs(Feature::edit_documents_by_function)
            .enqueues(),
        get("/indexes/{uid}/documents/{id}", "Read a document")
            .query([fields(), retrieve_vectors(), use_network()])
            .reads_index()
            .codes(OF_LISTS)
            .codes(&[Code::DocumentNotFound])
            .answers(200, named("Document")),
        delete("/indexes/{uid}/documents/{id}", "Delete a document").query([metadata()]).enqueues(),
    ]
}

/// Features that parameters and filters need, and what remotes answer.
const OF_LISTS: &[Code] = &[
    Code::FeatureNotEnabled,
    Code::InvalidSearchFilter,
    Code::RemoteTimeout,
    Code::RemoteCouldNotSendRequest,
    Code::RemoteBadResponse,
    Code::RemoteRemoteError,
    Code::RemoteBadRequest,
    Code::RemoteInvalidApiKey,
];

fn addition(operation: Operation) -> Operation {
    operation
        .query([
            maybe("primaryKey", text(), "The attribute that holds the ids, for a new index.")
                .code(Code::InvalidIndexPrimaryKey),
            maybe("csvDelimiter", text().default(json!(",")), "One ASCII character; CSV only.")
                .code(Code::InvalidDocumentCsvDelimiter),
            metadata(),
            maybe("skipCreation", boolean().default(json!(false)), "Only ids that are there.")
                .code(Code::InvalidSkipCreation),
        ])
        .takes_forms(vec![
            (JSON, named("DocumentPayload")),
            (NDJSON, text().about("One object a line.")),
            (
                "text/csv",
                text().about("A heading, then one document a line. `price:number` types a column."),
            ),
        ])
        .enqueues()
        // Parts that members of a network send each other are answered with nothing.
        .answers_nothing(200, "To members of a network alone.")
        .codes(&[Code::ImportTaskUnknownRemote, Code::ImportTaskWithoutNetworkTask])
}

pub(super) fn metadata() -> Member {
    maybe("customMetadata", text(), "Any text; the task repeats it.")
        .code(Code::InvalidIndexCustomMetadata)
}

fn fields() -> Member {
    maybe("fields", list(text()).or_null(), "Fields to show; all without it.")
        .code(Code::InvalidDocumentFields)
}

fn retrieve_vectors() -> Member {
    maybe("retrieveVectors", boolean().default(json!(false)), "Adds `_vectors`.")
        .code(Code::InvalidDocumentRetrieveVectors)
}

fn use_network() -> Member {
    maybe("useNetwork", boolean().or_null(), "Whether remotes are asked; feature `network`.")
        .code(Code::InvalidDocumentUseNetwork)
}

fn list_members(is_query: bool) -> Vec<Member> {
    let filter = if is_query { text() } else { named("Filter").or_null() };
    vec![
        maybe("offset", integer().default(json!(0)), "How many are skipped.")
            .code(Code::InvalidDocumentOffset),
        maybe("limit", integer().default(json!(20)), "How many at most.")
            .code(Code::InvalidDocumentLimit),
        fields(),
        retrieve_vectors(),
        maybe("ids", list(document_id()).or_null(), "Only these.").code(Code::InvalidDocumentIds),
        maybe("filter", filter, "Only those that pass.").code(Code::InvalidDocumentFilter),
        maybe("sort", list(text()).or_null(), "In place of the order of addition.")
            .code(Code::InvalidDocumentSort),
        use_network(),
    ]
}
