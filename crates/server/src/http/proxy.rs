//! Headers that members of a network send with forwarded requests. Their values are
//! percent-encoded, and each name is also accepted without its `X-`.

use ::tasks::Origin;
use axum::http::HeaderMap;
use engine::ForeignAccess;
use engine::keys::Access;
use model::{Code, ServiceError};
use percent_encoding::percent_decode_str;
use uuid::Uuid;

const REMOTE: &str = "Origin-Remote";
const TASK_UID: &str = "Origin-TaskUid";
const NETWORK_VERSION: &str = "Origin-Network-Version";
const EXISTING_INDEX: &str = "Origin-Existing-Index";
const TAKES_BACK: &str = "Origin-Takes-Back";
const FOREIGN_RIGHTS: &str = "Foreign-Rights";

/// Description of documents that are moved from one member to another.
#[derive(Debug)]
pub struct Import {
    pub index_uid: String,
    pub index_count: u64,
    pub documents: u64,
    pub total_documents: u64,
    pub key: String,
}

/// Returns the member that forwarded the request, and its task; `None` for a client.
pub fn origin(headers: &HeaderMap) -> Result<Option<Origin>, ServiceError> {
    let values = [REMOTE, TASK_UID, NETWORK_VERSION].map(|name| value(headers, name));
    let [remote, task_uid, network_version] = values;
    match (remote?, task_uid?, network_version?) {
        (None, None, None) => Ok(None),
        (Some(remote), Some(task_uid), Some(network_version)) => Ok(Some(Origin {
            remote,
            task_uid: parsed(TASK_UID, &task_uid)?,
            network_version: parsed::<Uuid>(NETWORK_VERSION, &network_version)?,
        })),
        _ => Err(ServiceError::new(
            Code::InconsistentDocumentChangeHeaders,
            format!(
                "The headers `{}`, `{}` and `{}` come together or not at all.",
                full(REMOTE),
                full(TASK_UID),
                full(NETWORK_VERSION)
            ),
        )),
    }
}

/// Returns whether a forwarded write must not create its index.
pub fn wants_existing_index(headers: &HeaderMap) -> Result<bool, ServiceError> {
    Ok(value(headers, EXISTING_INDEX)?.as_deref() == Some("true"))
}

/// Returns the version of the network whose change the forwarded request undoes.
pub fn takes_back(headers: &HeaderMap) -> Result<Option<Uuid>, ServiceError> {
    value(headers, TAKES_BACK)?.map(|version| parsed(TAKES_BACK, &version)).transpose()
}

/// Returns which foreign documents the caller may see. A member of the network sends its own key
/// and passes on the rights of its client.
pub fn foreign_access(headers: &HeaderMap, access: &Access) -> Result<ForeignAccess, ServiceError> {
    let Some(rights) = value(headers, FOREIGN_RIGHTS)? else {
        return Ok(ForeignAccess::of(access));
    };
    let rights = serde_json::from_str(&rights)
        .map_err(|error| invalid(FOREIGN_RIGHTS, &error.to_string()))?;
    Ok(ForeignAccess::of_instance(access, rights))
}

/// Returns the description of the documents that the request moves here, if it does.
pub fn import(headers: &HeaderMap) -> Result<Option<Import>, ServiceError> {
    let Some(index_uid) = value(headers, "Import-Index")? else { return Ok(None) };
    let required = |name: &str| -> Result<String, ServiceError> {
        value(headers, name)?.ok_or_else(|| {
            ServiceError::new(
                Code::InconsistentDocumentChangeHeaders,
                format!("The header `{}` is missing.", full(name)),
            )
        })
    };
    let number = |name: &str| required(name).and_then(|text| parsed(name, &text));
    Ok(Some(Import {
        index_uid,
        index_count: number("Import-Index-Count")?,
        documents: number("Import-Docs")?,
        total_documents: number("Import-Total-Index-Docs")?,
        key: required("Import-Task-Key")?,
    }))
}

fn full(name: &str) -> String {
    format!("X-Meili-Proxy-{name}")
}

fn value(headers: &HeaderMap, name: &str) -> Result<Option<String>, ServiceError> {
    let full = full(name);
    let found = headers.get(&full).or_else(|| headers.get(full.trim_start_matches("X-")));
    let Some(found) = found else { return Ok(None) };
    let text = found.to_str().ok();
    let text = text.and_then(|text| percent_decode_str(text).decode_utf8().ok());
    match text {
        Some(text) => Ok(Some(text.into_owned())),
        None => Err(invalid(name, "it is not percent-encoded UTF-8")),
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
    name: &str,
    text: &str,
) -> Result<T, ServiceError> {
    text.parse().map_err(|error: T::Err| invalid(name, &error.to_string()))
}

fn invalid(name: &str, why: &str) -> ServiceError {
    let message = format!("Invalid value of the header `{}`: {why}.", full(name));
    ServiceError::new(Code::InvalidHeaderValue, message)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use engine::ForeignRights;

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.insert(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_sender_is_read_with_and_without_the_x() {
        let version = "01890a5d-ac96-774b-bcce-b302099a8057";
        let found = origin(&headers(&[
            ("X-Meili-Proxy-Origin-Remote", "nom%20%C3%A0"),
            ("Meili-Proxy-Origin-TaskUid", "7"),
            ("x-meili-proxy-origin-network-version", version),
        ]));
        let found = found.unwrap().unwrap();
        assert_eq!((found.remote.as_str(), found.task_uid), ("nom à", 7));
        assert_eq!(found.network_version.to_string(), version);
        assert_eq!(origin(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn passed_on_rights_only_take_away() {
        let full = Access::full();
        let read = |pairs: &[(&str, &str)]| {
            foreign_access(&headers(pairs), &full).map(|rights| rights.to_index("people"))
        };
        assert_eq!(read(&[]).unwrap(), ForeignRights::Whole);
        let name = "X-Meili-Proxy-Foreign-Rights";
        assert_eq!(read(&[(name, "{}")]).unwrap(), ForeignRights::Denied);
        let shown = r#"{"people":{"displayed":{"filter":"a = 1"}}}"#;
        let expected = ForeignRights::Displayed { filter: Some("a = 1".into()) };
        assert_eq!(read(&[(name, shown)]).unwrap(), expected);
        assert_eq!(read(&[(name, "[]")]).unwrap_err().code, Code::InvalidHeaderValue);
    }

    #[test]
    fn half_a_sender_and_a_bad_one_are_refused() {
        let half = headers(&[("X-Meili-Proxy-Origin-Remote", "a")]);
        assert_eq!(origin(&half).unwrap_err().code, Code::InconsistentDocumentChangeHeaders);
        let bad = headers(&[
            ("X-Meili-Proxy-Origin-Remote", "a"),
            ("X-Meili-Proxy-Origin-TaskUid", "-1"),
            ("X-Meili-Proxy-Origin-Network-Version", "1"),
        ]);
        assert_eq!(origin(&bad).unwrap_err().code, Code::InvalidHeaderValue);
        let part = headers(&[("X-Meili-Proxy-Import-Index", "a")]);
        assert_eq!(import(&part).unwrap_err().code, Code::InconsistentDocumentChangeHeaders);
    }
}
