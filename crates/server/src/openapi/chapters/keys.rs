//! `/keys`.

use model::Code;

use crate::openapi::operation::{Operation, delete, get, page_of, paging, patch, post};
use crate::schema::{always, list, maybe, named, text, uuid};

pub fn all() -> Vec<Operation> {
    vec![
        get("/keys", "List API keys")
            .about("Lists all keys, newest first, including expired ones.")
            .query(paging(Code::InvalidApiKeyOffset, Code::InvalidApiKeyLimit))
            .codes(&[Code::MissingMasterKey])
            .answers(200, page_of(named("Key"))),
        post("/keys", "Create an API key")
            .takes([
                maybe("description", text().or_null(), "").code(Code::InvalidApiKeyDescription),
                maybe("name", text().or_null(), "").code(Code::InvalidApiKeyName),
                maybe("uid", uuid(), "ID of the key. Generated if absent.")
                    .code(Code::InvalidApiKeyUid),
                always("actions", list(named("Action")), "Actions that the key allows.")
                    .code(Code::InvalidApiKeyActions),
                always("indexes", list(text()), "Names, prefixes like `shop_*`, or `*` for all.")
                    .code(Code::InvalidApiKeyIndexes),
                always("expiresAt", text().or_null(), "Expiry date or time; null for never.")
                    .code(Code::InvalidApiKeyExpiresAt),
            ])
            .codes(&[
                Code::MissingMasterKey,
                Code::MissingApiKeyActions,
                Code::MissingApiKeyIndexes,
                Code::MissingApiKeyExpiresAt,
                Code::IndexScopedApiKeyWithGlobalAction,
                Code::ApiKeyAlreadyExists,
            ])
            .writes()
            .answers(201, named("Key")),
        get("/keys/{key}", "Get an API key")
            .codes(&[Code::MissingMasterKey, Code::ApiKeyNotFound])
            .answers(200, named("Key")),
        patch("/keys/{key}", "Update the name or description of an API key")
            .takes([
                maybe("description", text().or_null(), "").code(Code::InvalidApiKeyDescription),
                maybe("name", text().or_null(), "").code(Code::InvalidApiKeyName),
            ])
            .codes(&[
                Code::MissingMasterKey,
                Code::ApiKeyNotFound,
                Code::ImmutableApiKeyUid,
                Code::ImmutableApiKeyActions,
                Code::ImmutableApiKeyIndexes,
                Code::ImmutableApiKeyExpiresAt,
                Code::ImmutableApiKeyCreatedAt,
                Code::ImmutableApiKeyUpdatedAt,
            ])
            .writes()
            .answers(200, named("Key")),
        delete("/keys/{key}", "Delete an API key")
            .about("Requests with the key are refused immediately.")
            .codes(&[Code::MissingMasterKey, Code::ApiKeyNotFound])
            .writes()
            .answers_nothing(204, "The key was deleted."),
    ]
}
