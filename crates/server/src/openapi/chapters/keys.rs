//! `/keys`.

use model::Code;

use crate::openapi::operation::{Operation, delete, get, page_of, paging, patch, post};
use crate::openapi::schema::{always, list, maybe, named, text, uuid};

pub fn all() -> Vec<Operation> {
    vec![
        get("/keys", "List keys")
            .tells("The newest first, expired ones too.")
            .query(paging(Code::InvalidApiKeyOffset, Code::InvalidApiKeyLimit))
            .codes(&[Code::MissingMasterKey])
            .answers(200, page_of(named("Key"))),
        post("/keys", "Make a key")
            .takes([
                maybe("description", text().or_null(), "").code(Code::InvalidApiKeyDescription),
                maybe("name", text().or_null(), "").code(Code::InvalidApiKeyName),
                maybe("uid", uuid(), "At random without it.").code(Code::InvalidApiKeyUid),
                always("actions", list(named("Action")), "What it may do.")
                    .code(Code::InvalidApiKeyActions),
                always("indexes", list(text()), "Names, beginnings with a star, or `*`.")
                    .code(Code::InvalidApiKeyIndexes),
                always(
                    "expiresAt",
                    text().or_null(),
                    "A date, a date and time, or null for never.",
                )
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
        get("/keys/{key}", "Read a key")
            .codes(&[Code::MissingMasterKey, Code::ApiKeyNotFound])
            .answers(200, named("Key")),
        patch("/keys/{key}", "Change name or description of a key")
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
        delete("/keys/{key}", "Delete a key")
            .tells("It is worth nothing from that moment on.")
            .codes(&[Code::MissingMasterKey, Code::ApiKeyNotFound])
            .writes()
            .answers_nothing(204, "It is gone."),
    ]
}
