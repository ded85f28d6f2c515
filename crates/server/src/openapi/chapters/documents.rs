//! Documents of an index.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::search::document_id;
use crate::openapi::operation::{
    JSON, NDJSON, Operation, delete, get, page_with_remotes, post, put,
};
use crate::schema::{Member, always, anything, boolean, integer, list, maybe, named, open, text};

pub fn all() -> Vec<Operation> {
    vec![
        get("/indexes/{uid}/documents", "List documents")
            .query(list_members(true))
            .reads_index()
            .codes(OF_LISTS)
            .queues()
            .answers(200, page_with_remotes(named("Document"))),
        addition(post("/indexes/{uid}/documents", "Add or replace documents"))
            .about("A document whose ID already exists replaces the existing document."),
        addition(put("/indexes/{uid}/documents", "Add or update documents"))
            .about("Merges the fields into existing documents; fields that are not sent are kept."),
        delete("/indexes/{uid}/documents", "Delete all documents").query([metadata()]).enqueues(),
        post("/indexes/{uid}/documents/fetch", "List documents with a request body")
            .takes(list_members(false))
            .reads_index()
            .codes(OF_LISTS)
            .queues()
            .answers(200, page_with_remotes(named("Document"))),
        post("/indexes/{uid}/documents/delete", "Delete documents by filter")
            .query([metadata()])
            .takes([always("filter", named("Filter"), "").code(Code::InvalidDocumentFilter)])
            .codes(&[Code::MissingDocumentFilter, Code::FeatureNotEnabled])
            .enqueues(),
        post("/indexes/{uid}/documents/delete-batch", "Delete documents by ID")
            .query([metadata()])
            .takes_json(list(anything()).about("IDs of the documents, as strings or numbers."))
            .enqueues(),
        post("/indexes/{uid}/documents/edit", "Edit documents with a function")
            .query([metadata()])
            .takes([
                maybe("filter", named("Filter").or_null(), "Documents to edit; all by default.")
                    .code(Code::InvalidDocumentFilter),
                maybe("context", open().or_null(), "Available to the function as `context`.")
                    .code(Code::InvalidDocumentEditionContext),
                always("function", text(), "Rhai function; the document is available as `doc`.")
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

/// Errors of features that parameters and filters need, and of remotes.
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
            maybe("primaryKey", text(), "Attribute with the document IDs, for a new index.")
                .code(Code::InvalidIndexPrimaryKey),
            maybe("csvDelimiter", text().default(json!(",")), "One ASCII character, for CSV.")
                .code(Code::InvalidDocumentCsvDelimiter),
            metadata(),
            maybe("skipCreation", boolean().default(json!(false)), "Skips new documents.")
                .code(Code::InvalidSkipCreation),
        ])
        .takes_forms(vec![
            (JSON, named("DocumentPayload")),
            (NDJSON, text().about("One JSON object per line.")),
            (
                "text/csv",
                text().about("A header, then one document per line. `price:number` sets a type."),
            ),
        ])
        .enqueues()
        // The answer to documents that a member of the network moves here is empty.
        .answers_nothing(200, "Only sent to members of the network.")
        .codes(&[Code::ImportTaskUnknownRemote, Code::ImportTaskWithoutNetworkTask])
}

pub(super) fn metadata() -> Member {
    maybe("customMetadata", text(), "Any text; it is returned with the task.")
        .code(Code::InvalidIndexCustomMetadata)
}

fn fields() -> Member {
    maybe("fields", list(text()).or_null(), "Fields to return. Defaults to all fields.")
        .code(Code::InvalidDocumentFields)
}

fn retrieve_vectors() -> Member {
    maybe("retrieveVectors", boolean().default(json!(false)), "Whether to return `_vectors`.")
        .code(Code::InvalidDocumentRetrieveVectors)
}

fn use_network() -> Member {
    maybe("useNetwork", boolean().or_null(), "Whether to read from the whole network.")
        .code(Code::InvalidDocumentUseNetwork)
}

fn list_members(is_query: bool) -> Vec<Member> {
    let filter = if is_query { text() } else { named("Filter").or_null() };
    vec![
        maybe("offset", integer().default(json!(0)), "Number of documents to skip.")
            .code(Code::InvalidDocumentOffset),
        maybe("limit", integer().default(json!(20)), "Maximum number of documents to return.")
            .code(Code::InvalidDocumentLimit),
        fields(),
        retrieve_vectors(),
        maybe("ids", list(document_id()).or_null(), "IDs of the documents to return.")
            .code(Code::InvalidDocumentIds),
        maybe("filter", filter, "Only return documents that match the filter.")
            .code(Code::InvalidDocumentFilter),
        maybe("sort", list(text()).or_null(), "Sort order; order of addition by default.")
            .code(Code::InvalidDocumentSort),
        use_network(),
    ]
}
