//! `/keys`: lists, creates, changes and deletes API keys.

use axum::http::StatusCode;
use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Value, ValuePointerRef, take_cf_content,
};
use engine::keys::{Access, Action, IndexPattern, KeyChange, NewKey, ShownKey};
use model::{Code, Patch, timestamp};
use serde::Serialize;
use uuid::Uuid;

use super::expiry::Expiry;
use super::paging::PageReply;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::{FieldError, body_code, query_code, string};
use crate::http::json::BodyError;
use crate::http::query::{Param, QueryError, unacceptable};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyObject<'a> {
    name: Option<&'a str>,
    description: Option<&'a str>,
    /// Null if the key allows more than the key of the caller.
    key: Option<&'a str>,
    uid: Uuid,
    actions: &'a [Action],
    indexes: &'a [IndexPattern],
    expires_at: Option<String>,
    created_at: String,
    updated_at: String,
}

impl<'a> KeyObject<'a> {
    /// Builds the object that a caller may see. `named` is the uid or value in the request; a
    /// caller that sends the value knows it already.
    fn seen(shown: &'a ShownKey, access: &Access, named: &str) -> Self {
        let is_shown = access.covers(&shown.key) || shown.value.expose() == named;
        Self { key: is_shown.then(|| shown.value.expose()), ..Self::whole(shown) }
    }

    fn whole(ShownKey { key, value }: &'a ShownKey) -> Self {
        Self {
            name: key.name.as_deref(),
            description: key.description.as_deref(),
            key: Some(value.expose()),
            uid: key.uid,
            actions: &key.actions,
            indexes: &key.indexes,
            expires_at: key.expires_at.map(timestamp::rfc3339),
            created_at: timestamp::rfc3339(key.created_at),
            updated_at: timestamp::rfc3339(key.updated_at),
        }
    }
}

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct ListParameters {
    #[deserr(default = Param(0), error = query_code!(InvalidApiKeyOffset))]
    offset: Param<usize>,
    #[deserr(default = Param(model::limits::DEFAULT_PAGE_LIMIT), error = query_code!(InvalidApiKeyLimit))]
    limit: Param<usize>,
}

pub async fn list(app: App, call: Call) -> Answer {
    let ListParameters { offset: Param(offset), limit: Param(limit) } = call.parameters()?;
    let page = app.engine.keys().list(offset, limit);
    Ok(answer::ok(&PageReply {
        results: page.results.iter().map(|key| KeyObject::seen(key, &call.access, "")).collect(),
        offset,
        limit,
        total: page.total,
    }))
}

pub async fn get(app: App, call: Call) -> Answer {
    let named = call.param("key");
    let key = app.engine.keys().get(named)?;
    Ok(answer::ok(&KeyObject::seen(&key, &call.access, named)))
}

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct NewKeyBody {
    #[deserr(default, error = body_code!(InvalidApiKeyDescription))]
    description: Option<String>,
    #[deserr(default, error = body_code!(InvalidApiKeyName))]
    name: Option<String>,
    #[deserr(default, error = body_code!(InvalidApiKeyUid))]
    uid: OptionalUid,
    #[deserr(error = body_code!(InvalidApiKeyActions), missing_field_error = missing_actions)]
    actions: Vec<ByName<Action>>,
    #[deserr(error = body_code!(InvalidApiKeyIndexes), missing_field_error = missing_indexes)]
    indexes: Vec<ByName<IndexPattern>>,
    #[deserr(error = body_code!(InvalidApiKeyExpiresAt), missing_field_error = missing_expiry)]
    expires_at: Expiry,
}

fn missing_actions(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingApiKeyActions) {
    FieldError::missing(field, at)
}

fn missing_indexes(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingApiKeyIndexes) {
    FieldError::missing(field, at)
}

fn missing_expiry(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingApiKeyExpiresAt) {
    FieldError::missing(field, at)
}

/// A uid that may be absent, but not null.
#[derive(Debug, Default)]
struct OptionalUid(Option<Uuid>);

impl<E: DeserializeError> Deserr<E> for OptionalUid {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let uid = Uuid::parse_str(&string(value, at)?);
        uid.map(|uid| Self(Some(uid))).map_err(|error| unacceptable::<V, E>(error.to_string(), at))
    }
}

/// A value that is parsed from its name.
#[derive(Debug)]
struct ByName<T>(T);

impl<E: DeserializeError> Deserr<E> for ByName<Action> {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let name = string(value, at)?;
        name.parse().map(ByName).map_err(|_| {
            let kind = ErrorKind::UnknownValue { value: &name, accepted: Action::NAMES };
            take_cf_content(E::error::<V>(None, kind, at))
        })
    }
}

impl<E: DeserializeError> Deserr<E> for ByName<IndexPattern> {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let text = string(value, at)?;
        let pattern = IndexPattern::new(text);
        pattern.map(ByName).map_err(|error| unacceptable::<V, E>(error.to_string(), at))
    }
}

impl NewKeyBody {
    fn into_key(self) -> NewKey {
        NewKey {
            uid: self.uid.0,
            name: self.name,
            description: self.description,
            actions: self.actions.into_iter().map(|ByName(action)| action).collect(),
            indexes: self.indexes.into_iter().map(|ByName(pattern)| pattern).collect(),
            expires_at: self.expires_at.0,
        }
    }
}

pub async fn create(app: App, mut call: Call) -> Answer {
    let body: NewKeyBody = call.json().await?;
    let key = app.blocking(move |engine| engine.keys().create(body.into_key())).await?;
    Ok(answer::json(StatusCode::CREATED, &KeyObject::whole(&key)))
}

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_in_change)]
struct KeyChangeBody {
    #[deserr(default, error = body_code!(InvalidApiKeyDescription))]
    description: Patch<String>,
    #[deserr(default, error = body_code!(InvalidApiKeyName))]
    name: Patch<String>,
}

fn unknown_in_change(field: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> BodyError {
    let code = match field {
        "uid" => Code::ImmutableApiKeyUid,
        "actions" => Code::ImmutableApiKeyActions,
        "indexes" => Code::ImmutableApiKeyIndexes,
        "expiresAt" => Code::ImmutableApiKeyExpiresAt,
        "createdAt" => Code::ImmutableApiKeyCreatedAt,
        "updatedAt" => Code::ImmutableApiKeyUpdatedAt,
        _ => return FieldError::unknown(field, accepted, at),
    };
    FieldError::immutable(field, accepted, code)
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let KeyChangeBody { description, name } = call.json().await?;
    let named = call.param("key").to_owned();
    let change = KeyChange { name, description };
    let key = app.blocking(move |engine| engine.keys().change(&named, change)).await?;
    Ok(answer::ok(&KeyObject::seen(&key, &call.access, call.param("key"))))
}

pub async fn delete(app: App, call: Call) -> Answer {
    let named = call.param("key").to_owned();
    app.blocking(move |engine| engine.keys().delete(&named)).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}
