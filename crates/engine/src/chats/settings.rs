//! Settings of a workspace: the provider of its conversations, its key, and its prompts.

use std::fmt;

use chat::{Endpoint, Prompts, Provider};
use model::url_secrets::{MASK_REFUSED, has_mask, kept_url};
use model::{Code, Patch, Secret, ServiceError};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChatSource {
    #[default]
    OpenAi,
    Mistral,
    AzureOpenAi,
    VLlm,
}

/// Settings as stored. The form shown to users, without the key, is written by the server.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatSettings {
    pub source: ChatSource,
    pub org_id: Option<String>,
    pub project_id: Option<String>,
    pub api_version: Option<String>,
    pub deployment_id: Option<String>,
    pub base_url: Option<String>,
    #[serde(with = "model::stored_secret")]
    pub api_key: Option<Secret>,
    pub prompts: Prompts,
}

/// A change of settings. A cleared one gets its default.
#[derive(Debug, Clone, Default)]
pub struct ChatChange {
    pub source: Patch<ChatSource>,
    pub org_id: Patch<String>,
    pub project_id: Patch<String>,
    pub api_version: Patch<String>,
    pub deployment_id: Patch<String>,
    pub base_url: Patch<String>,
    pub api_key: Patch<Secret>,
    pub prompts: Patch<PromptsChange>,
}

#[derive(Debug, Clone, Default)]
pub struct PromptsChange {
    pub system: Patch<String>,
    pub search_description: Patch<String>,
    pub search_q_param: Patch<String>,
    pub search_filter_param: Patch<String>,
    pub search_index_uid_param: Patch<String>,
}

impl ChatSettings {
    /// Applies a change. Fails if the result is incomplete.
    pub(super) fn changed(self, change: ChatChange) -> Result<Self, ServiceError> {
        let settings = Self {
            source: change.source.applied_to(Some(self.source)).unwrap_or_default(),
            org_id: change.org_id.applied_to(self.org_id),
            project_id: change.project_id.applied_to(self.project_id),
            api_version: change.api_version.applied_to(self.api_version),
            deployment_id: change.deployment_id.applied_to(self.deployment_id),
            base_url: match change.base_url {
                Patch::Set(url) => Some(meant_url(self.base_url.as_deref(), url)?),
                change => change.applied_to(self.base_url),
            },
            api_key: change.api_key.applied_to(self.api_key),
            prompts: match change.prompts {
                Patch::Keep => self.prompts,
                Patch::Clear => Prompts::default(),
                Patch::Set(change) => change.applied_to(self.prompts),
            },
        };
        settings.endpoint()?;
        Ok(settings)
    }

    /// Returns the address for completions.
    fn endpoint(&self) -> Result<Endpoint, ServiceError> {
        let base_url = self.base_url.clone();
        let incomplete = |message: &str| ServiceError::new(Code::BadRequest, message);
        match self.source {
            ChatSource::OpenAi => Ok(Endpoint::OpenAi {
                base_url,
                org_id: self.org_id.clone(),
                project_id: self.project_id.clone(),
            }),
            ChatSource::Mistral => Ok(Endpoint::Mistral { base_url }),
            ChatSource::AzureOpenAi => {
                let parts = (base_url, self.deployment_id.clone(), self.api_version.clone());
                let (Some(base_url), Some(deployment_id), Some(api_version)) = parts else {
                    return Err(incomplete(
                        "azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`",
                    ));
                };
                Ok(Endpoint::AzureOpenAi { base_url, deployment_id, api_version })
            }
            ChatSource::VLlm => match base_url {
                Some(base_url) => Ok(Endpoint::VLlm { base_url }),
                None => Err(incomplete("vLlm requires setting a valid `baseUrl`")),
            },
        }
    }

    /// Returns the provider. `operators` is the key for workspaces without one.
    pub(super) fn provider(&self, operators: Option<&Secret>) -> Result<Provider, ServiceError> {
        let key = self.key(operators).map(|key| key.expose().to_owned());
        Ok(Provider::new(self.endpoint()?, key))
    }

    /// Returns the key. The operator's key belongs to OpenAI, and no other company gets it.
    fn key<'k>(&'k self, operators: Option<&'k Secret>) -> Option<&'k Secret> {
        let operators = match self.source {
            ChatSource::OpenAi | ChatSource::AzureOpenAi => operators,
            ChatSource::Mistral | ChatSource::VLlm => None,
        };
        self.api_key.as_ref().or(operators)
    }
}

/// Returns the stored URL if its redacted form is sent back.
fn meant_url(stored: Option<&str>, sent: String) -> Result<String, ServiceError> {
    let url = kept_url(stored, sent);
    match has_mask(&url) {
        false => Ok(url),
        true => {
            let message = format!("Invalid value at `.baseUrl`: {MASK_REFUSED}.");
            Err(ServiceError::new(Code::InvalidChatCompletionBaseApi, message))
        }
    }
}

impl PromptsChange {
    fn applied_to(self, prompts: Prompts) -> Prompts {
        Prompts {
            system: self.system.applied_to(prompts.system),
            search_description: self.search_description.applied_to(prompts.search_description),
            search_q_param: self.search_q_param.applied_to(prompts.search_q_param),
            search_filter_param: self.search_filter_param.applied_to(prompts.search_filter_param),
            search_index_uid_param: self
                .search_index_uid_param
                .applied_to(prompts.search_index_uid_param),
        }
    }
}

/// Omits the key and the address, which can hold a password.
impl fmt::Debug for ChatSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatSettings").field("source", &self.source).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> ChatSettings {
        let text = |text: &str| Some(text.to_owned());
        ChatSettings {
            source: ChatSource::AzureOpenAi,
            org_id: text("org"),
            project_id: text("project"),
            api_version: text("1"),
            deployment_id: text("d"),
            base_url: text("http://me:open@a.example"),
            api_key: Some(Secret::new("sesame")),
            prompts: Prompts { system: text("Be brief."), ..Prompts::default() },
        }
    }

    #[test]
    fn what_is_stored_reads_back() {
        for settings in [ChatSettings::default(), full()] {
            let text = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<ChatSettings>(&text).unwrap(), settings);
        }
    }

    #[test]
    fn debug_output_holds_no_secret() {
        let change =
            ChatChange { api_key: Patch::Set(Secret::new("sesame")), ..Default::default() };
        let shown = format!("{:?} {change:?} {:?}", full(), full().provider(None).unwrap());
        for secret in ["sesame", "open@"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn a_change_leaves_the_rest_alone() {
        let change = ChatChange {
            org_id: Patch::Clear,
            api_version: Patch::Set("2".to_owned()),
            prompts: Patch::Set(PromptsChange {
                search_q_param: Patch::Set("Words.".to_owned()),
                ..PromptsChange::default()
            }),
            ..ChatChange::default()
        };
        let mut expected = full();
        expected.org_id = None;
        expected.api_version = Some("2".to_owned());
        expected.prompts.search_q_param = Some("Words.".to_owned());
        assert_eq!(full().changed(change).unwrap(), expected);
        let change =
            ChatChange { source: Patch::Clear, prompts: Patch::Clear, ..ChatChange::default() };
        let cleared = full().changed(change).unwrap();
        assert_eq!(cleared.source, ChatSource::OpenAi);
        assert_eq!(cleared.prompts, Prompts::default());
    }

    #[test]
    fn the_operators_key_stays_with_its_company() {
        let operators = Secret::new("sk-operators");
        for (source, own, expected) in [
            (ChatSource::OpenAi, None, Some("sk-operators")),
            (ChatSource::AzureOpenAi, None, Some("sk-operators")),
            (ChatSource::OpenAi, Some("mine"), Some("mine")),
            (ChatSource::OpenAi, Some(""), Some("")),
            (ChatSource::Mistral, None, None),
            (ChatSource::VLlm, None, None),
        ] {
            let settings = ChatSettings { source, api_key: own.map(Secret::new), ..full() };
            assert_eq!(settings.key(Some(&operators)).map(Secret::expose), expected);
        }
    }
}
