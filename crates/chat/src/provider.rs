//! Providers: their addresses and authentication.

use std::fmt;
use std::time::Duration;

use outbound::Call;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Longest silence of a provider: reasoning models say nothing for minutes.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(300);
/// Far above the longest answer of any model, framing included.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Shorter keys are words that a message may contain by chance.
const RECOGNISABLE_KEY: usize = 8;

const OPEN_AI: &str = "https://api.openai.com/v1";
const MISTRAL: &str = "https://api.mistral.ai/v1";

/// OpenAI models that take instructions only in the role `system`. Newer ones use `developer`.
const OLDER_MODELS: [&str; 3] = ["gpt-3.5", "gpt-4", "chatgpt-4o"];

/// Characters escaped in a path and in a query.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Endpoint for completions. An address ends before `/chat/completions`, or before `/openai` where
/// a deployment is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    OpenAi { base_url: Option<String>, org_id: Option<String>, project_id: Option<String> },
    Mistral { base_url: Option<String> },
    AzureOpenAi { base_url: String, deployment_id: String, api_version: String },
    VLlm { base_url: String },
}

/// An endpoint and its key.
#[derive(Clone)]
pub struct Provider {
    endpoint: Endpoint,
    api_key: Option<String>,
}

impl Provider {
    /// Creates a provider; an empty key is none.
    pub fn new(endpoint: Endpoint, api_key: Option<String>) -> Self {
        Self { endpoint, api_key: api_key.filter(|key| !key.is_empty()) }
    }

    /// Returns the call that requests a completion.
    pub(crate) fn call(&self, body: Vec<u8>) -> Call {
        let mut call = Call::post(self.address(), body, SILENCE_TIMEOUT)
            .header("Content-Type", "application/json")
            .header("Accept", "text/event-stream");
        call.max_answer_bytes = MAX_ANSWER_BYTES;
        if let Some(key) = &self.api_key {
            call = match self.endpoint {
                Endpoint::AzureOpenAi { .. } => call.header("api-key", key),
                _ => call.header("Authorization", format!("Bearer {key}")),
            };
        }
        if let Endpoint::OpenAi { org_id, project_id, .. } = &self.endpoint {
            for (name, value) in [("OpenAI-Organization", org_id), ("OpenAI-Project", project_id)] {
                if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                    call = call.header(name, value);
                }
            }
        }
        call
    }

    fn address(&self) -> String {
        let completions =
            |base_url: &str| format!("{}/chat/completions", base_url.trim_end_matches('/'));
        match &self.endpoint {
            Endpoint::OpenAi { base_url, .. } => {
                completions(base_url.as_deref().unwrap_or(OPEN_AI))
            }
            Endpoint::Mistral { base_url } => completions(base_url.as_deref().unwrap_or(MISTRAL)),
            Endpoint::VLlm { base_url } => completions(base_url),
            Endpoint::AzureOpenAi { base_url, deployment_id, api_version } => {
                let deployment = utf8_percent_encode(deployment_id, ESCAPED);
                let deployment =
                    format!("{}/openai/deployments/{deployment}", base_url.trim_end_matches('/'));
                let version = utf8_percent_encode(api_version, ESCAPED);
                format!("{}?api-version={version}", completions(&deployment))
            }
        }
    }

    /// Returns the role in which the model takes instructions.
    pub(crate) fn prompt_role(&self, model: &str) -> &'static str {
        let is_system = match self.endpoint {
            Endpoint::Mistral { .. } | Endpoint::VLlm { .. } => true,
            Endpoint::OpenAi { .. } | Endpoint::AzureOpenAi { .. } => {
                OLDER_MODELS.iter().any(|older| model.starts_with(older))
            }
        };
        if is_system { "system" } else { "developer" }
    }

    /// Returns whether it reports token usage on request.
    pub(crate) fn reports_usage(&self) -> bool {
        matches!(self.endpoint, Endpoint::OpenAi { .. } | Endpoint::AzureOpenAi { .. })
    }

    /// Removes the key, which a provider's text may repeat.
    pub(crate) fn without_key(&self, text: String) -> String {
        match self.api_key.as_deref().filter(|key| key.len() >= RECOGNISABLE_KEY) {
            Some(key) => text.replace(key, "XXX..."),
            None => text,
        }
    }
}

/// Hides the key and the address, which may contain one.
impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    fn open_ai(base_url: Option<&str>, org: Option<&str>, project: Option<&str>) -> Endpoint {
        Endpoint::OpenAi {
            base_url: base_url.map(text),
            org_id: org.map(text),
            project_id: project.map(text),
        }
    }

    fn azure() -> Endpoint {
        Endpoint::AzureOpenAi {
            base_url: text("https://a.example/"),
            deployment_id: text("my gpt/4"),
            api_version: text("2024-06-01 preview"),
        }
    }

    #[track_caller]
    fn check(endpoint: Endpoint, url: &str, headers: &[(&str, &str)]) {
        let call = Provider::new(endpoint, Some(text("sk-1"))).call(Vec::new());
        assert_eq!(call.url, url);
        let sent: Vec<_> = call.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(sent[2..], *headers);
    }

    #[test]
    fn each_source_has_its_address_and_headers() {
        let bearer = ("Authorization", "Bearer sk-1");
        check(
            open_ai(None, Some("org"), Some("p")),
            "https://api.openai.com/v1/chat/completions",
            &[bearer, ("OpenAI-Organization", "org"), ("OpenAI-Project", "p")],
        );
        check(
            open_ai(Some("http://proxy/v1/"), None, Some("")),
            "http://proxy/v1/chat/completions",
            &[bearer],
        );
        check(
            Endpoint::Mistral { base_url: None },
            "https://api.mistral.ai/v1/chat/completions",
            &[bearer],
        );
        check(
            Endpoint::VLlm { base_url: text("http://box:8000/v1") },
            "http://box:8000/v1/chat/completions",
            &[bearer],
        );
        check(
            azure(),
            "https://a.example/openai/deployments/my%20gpt%2F4/chat/completions?api-version=2024-06-01%20preview",
            &[("api-key", "sk-1")],
        );
    }

    #[test]
    fn missing_key_sends_no_credentials() {
        for key in [None, Some(String::new())] {
            let call = Provider::new(open_ai(None, None, None), key).call(Vec::new());
            assert!(call.headers.iter().all(|(name, _)| name != "Authorization"));
        }
    }

    #[test]
    fn instructions_have_the_role_that_the_model_knows() {
        let open_ai = Provider::new(open_ai(None, None, None), None);
        let azure = Provider::new(azure(), None);
        for model in
            ["gpt-3.5-turbo", "gpt-4", "gpt-4.1-mini", "gpt-4.5", "gpt-4o", "chatgpt-4o-latest"]
        {
            assert_eq!(open_ai.prompt_role(model), "system", "{model}");
            assert_eq!(azure.prompt_role(model), "system", "{model}");
        }
        for model in ["o1", "o3-mini", "gpt-5", "chatgpt-5"] {
            assert_eq!(open_ai.prompt_role(model), "developer", "{model}");
        }
        let mistral = Provider::new(Endpoint::Mistral { base_url: None }, None);
        assert_eq!(mistral.prompt_role("mistral-large"), "system");
        let v_llm = Provider::new(Endpoint::VLlm { base_url: text("http://box") }, None);
        assert_eq!(v_llm.prompt_role("gpt-5"), "system");
    }

    #[test]
    fn a_key_is_neither_shown_nor_repeated() {
        let provider = Provider::new(open_ai(None, None, None), Some(text("sk-very-secret")));
        assert!(!format!("{provider:?}").contains("secret"));
        assert_eq!(provider.without_key(text("bad key sk-very-secret!")), "bad key XXX...!");
        let short = Provider::new(open_ai(None, None, None), Some(text("key")));
        assert_eq!(short.without_key(text("bad key")), "bad key");
    }
}
