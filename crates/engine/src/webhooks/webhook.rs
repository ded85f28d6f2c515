//! A webhook: its URL, its headers, and their validation.

use std::collections::BTreeMap;
use std::fmt;

use model::url_secrets::{MASK_REFUSED, has_mask, kept_url};
use model::{Code, Patch, Secret, ServiceError, shown_url};
use outbound::{HeaderError, check_header};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;
use uuid::Uuid;

use super::options::LaunchWebhook;

/// Maximum of headers of one webhook.
pub const MAX_HEADERS: usize = 200;

const AUTHORIZATION: &str = "authorization";
const BEARER: &str = "Bearer ";

/// A webhook. Serialized only for storage and dumps: with all its secrets.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Webhook {
    /// URL as sent.
    pub url: String,
    /// Headers by name as sent, in byte order; two may differ only in case.
    #[serde(serialize_with = "write_headers", deserialize_with = "read_headers")]
    pub headers: BTreeMap<String, Secret>,
}

/// A change of a webhook.
#[derive(Debug, Default)]
pub struct WebhookChange {
    pub url: Patch<String>,
    /// Headers to set or remove. On a new webhook a removed header becomes an empty one.
    pub headers: Patch<BTreeMap<String, Option<Secret>>>,
    pub is_new: bool,
}

impl Webhook {
    pub(super) fn of_launch(launch: LaunchWebhook) -> Self {
        let authorization = launch.authorization.map(|value| ("Authorization".to_owned(), value));
        Self { url: launch.url, headers: authorization.into_iter().collect() }
    }

    /// Returns the URL without secrets.
    pub fn shown_url(&self) -> String {
        shown_url(&self.url)
    }

    /// Returns the headers without secrets.
    pub fn shown_headers(&self) -> BTreeMap<&str, String> {
        let shown = self.headers.iter().map(|(name, value)| {
            let is_secret = name.eq_ignore_ascii_case(AUTHORIZATION);
            let value = if is_secret { redacted(value) } else { value.expose().to_owned() };
            (name.as_str(), value)
        });
        shown.collect()
    }

    /// Applies a change, and checks the result.
    pub(super) fn changed(
        mut self,
        uuid: Uuid,
        change: WebhookChange,
    ) -> Result<Self, ServiceError> {
        match change.url {
            Patch::Keep => {}
            Patch::Clear => self.url.clear(),
            Patch::Set(url) => {
                self.url = kept_url(Some(&self.url), url);
                if has_mask(&self.url) {
                    let message = format!("Invalid URL for the webhook `{uuid}`: {MASK_REFUSED}.");
                    return Err(ServiceError::new(Code::InvalidWebhookUrl, message));
                }
            }
        }
        match change.headers {
            Patch::Keep => {}
            Patch::Clear => self.headers.clear(),
            Patch::Set(headers) => {
                for (name, value) in headers {
                    match value {
                        Some(value) => drop(self.headers.insert(name, value)),
                        None if change.is_new => drop(self.headers.insert(name, Secret::new(""))),
                        None => drop(self.headers.remove(&name)),
                    }
                }
            }
        }
        self.check(uuid)?;
        Ok(self)
    }

    fn check(&self, uuid: Uuid) -> Result<(), ServiceError> {
        let refused = |code, message| Err(ServiceError::new(code, message));
        if self.url.is_empty() {
            return refused(
                Code::InvalidWebhookUrl,
                format!("The URL for the webhook `{uuid}` is missing."),
            );
        }
        if self.headers.len() > MAX_HEADERS {
            return refused(
                Code::InvalidWebhookHeaders,
                format!(
                    "Too many headers for the webhook `{uuid}`. Please limit the number of \
                     headers to {MAX_HEADERS}. Hint: To remove an already defined header set its \
                     value to `null`"
                ),
            );
        }
        for (name, value) in &self.headers {
            let what = match check_header(name, value.expose()) {
                Ok(()) => continue,
                Err(HeaderError::Name(cause)) => format!("name `{name}`: {cause}"),
                Err(HeaderError::Value(cause)) => format!("value `{name}`: {cause}"),
            };
            return refused(Code::InvalidWebhookHeaders, format!("Invalid header {what}"));
        }
        match Url::parse(&self.url) {
            Ok(_) => Ok(()),
            Err(cause) => {
                let url = &self.url;
                refused(Code::InvalidWebhookUrl, format!("Invalid URL `{url}`: {cause}"))
            }
        }
    }
}

/// Redacts a header value, except its scheme, to show that one was given.
fn redacted(value: &Secret) -> String {
    match value.expose().strip_prefix(BEARER) {
        Some(token) => format!("{BEARER}{}", Secret::new(token).redacted()),
        None => value.redacted(),
    }
}

fn write_headers<S: Serializer>(
    headers: &BTreeMap<String, Secret>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(headers.iter().map(|(name, value)| (name, value.expose())))
}

fn read_headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Secret>, D::Error> {
    let headers = BTreeMap::<String, String>::deserialize(deserializer)?;
    Ok(headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect())
}

/// Omits the URL and the headers, which may hold secrets.
impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("headers", &self.headers.keys()).finish_non_exhaustive()
    }
}
