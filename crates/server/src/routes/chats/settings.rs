//! `/chats/{uid}/settings`: read, changed in part, reset. The key of the provider is never returned
//! in full.

use deserr::Deserr;
use engine::chats::{ChatChange, ChatSettings, ChatSource, PromptsChange};
use model::{Patch, Secret, shown_url};
use serde::Serialize;

use super::check_feature;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::field_error::body_code;
use crate::http::json::BodyError;

const TRIED: &str = "using the /chats/settings route";

pub async fn get(app: App, call: Call) -> Answer {
    check_feature(&app, TRIED)?;
    let settings = app.engine.chats().settings(call.param("uid"))?;
    Ok(answer::ok(&SettingsView::new(&settings)))
}

pub async fn update(app: App, mut call: Call) -> Answer {
    let body: SettingsBody = call.json().await?;
    check_feature(&app, TRIED)?;
    let uid = call.param("uid").to_owned();
    let settings = app.blocking(move |engine| engine.chats().change(&uid, body.into())).await?;
    Ok(answer::ok(&SettingsView::new(&settings)))
}

pub async fn reset(app: App, call: Call) -> Answer {
    check_feature(&app, TRIED)?;
    let uid = call.param("uid").to_owned();
    let settings = app.blocking(move |engine| engine.chats().reset(&uid)).await?;
    Ok(answer::ok(&SettingsView::new(&settings)))
}

#[derive(Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct SettingsBody {
    #[deserr(default)]
    source: Patch<SourceName>,
    #[deserr(default, error = body_code!(InvalidChatCompletionOrgId))]
    org_id: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionProjectId))]
    project_id: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionApiVersion))]
    api_version: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionDeploymentId))]
    deployment_id: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionBaseApi))]
    base_url: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionApiKey))]
    api_key: Patch<String>,
    #[deserr(default)]
    prompts: Patch<PromptsBody>,
}

#[derive(Debug, Clone, Copy, Deserr, Serialize)]
#[deserr(error = BodyError, rename_all = camelCase)]
#[serde(rename_all = "camelCase")]
enum SourceName {
    OpenAi,
    Mistral,
    AzureOpenAi,
    VLlm,
}

#[derive(Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct PromptsBody {
    #[deserr(default, error = body_code!(InvalidChatCompletionSystemPrompt))]
    system: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionSearchDescriptionPrompt))]
    search_description: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionSearchQueryParamPrompt))]
    search_q_param: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionSearchFilterParamPrompt))]
    search_filter_param: Patch<String>,
    #[deserr(default, error = body_code!(InvalidChatCompletionSearchIndexUidParamPrompt))]
    search_index_uid_param: Patch<String>,
}

impl From<SettingsBody> for ChatChange {
    fn from(body: SettingsBody) -> Self {
        Self {
            source: body.source.map(SourceName::into_source),
            org_id: body.org_id,
            project_id: body.project_id,
            api_version: body.api_version,
            deployment_id: body.deployment_id,
            base_url: body.base_url,
            api_key: body.api_key.map(Secret::new),
            prompts: body.prompts.map(|prompts| PromptsChange {
                system: prompts.system,
                search_description: prompts.search_description,
                search_q_param: prompts.search_q_param,
                search_filter_param: prompts.search_filter_param,
                search_index_uid_param: prompts.search_index_uid_param,
            }),
        }
    }
}

impl SourceName {
    fn into_source(self) -> ChatSource {
        match self {
            SourceName::OpenAi => ChatSource::OpenAi,
            SourceName::Mistral => ChatSource::Mistral,
            SourceName::AzureOpenAi => ChatSource::AzureOpenAi,
            SourceName::VLlm => ChatSource::VLlm,
        }
    }

    fn of(source: ChatSource) -> Self {
        match source {
            ChatSource::OpenAi => SourceName::OpenAi,
            ChatSource::Mistral => SourceName::Mistral,
            ChatSource::AzureOpenAi => SourceName::AzureOpenAi,
            ChatSource::VLlm => SourceName::VLlm,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SettingsView<'a> {
    source: SourceName,
    org_id: Option<&'a str>,
    project_id: Option<&'a str>,
    api_version: Option<&'a str>,
    deployment_id: Option<&'a str>,
    base_url: Option<String>,
    api_key: Option<String>,
    prompts: PromptsView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PromptsView<'a> {
    system: &'a str,
    search_description: &'a str,
    search_q_param: &'a str,
    search_filter_param: &'a str,
    search_index_uid_param: &'a str,
}

impl<'a> SettingsView<'a> {
    fn new(settings: &'a ChatSettings) -> Self {
        let prompts = &settings.prompts;
        Self {
            source: SourceName::of(settings.source),
            org_id: settings.org_id.as_deref(),
            project_id: settings.project_id.as_deref(),
            api_version: settings.api_version.as_deref(),
            deployment_id: settings.deployment_id.as_deref(),
            base_url: settings.base_url.as_deref().map(shown_url),
            api_key: settings.api_key.as_ref().map(Secret::redacted),
            prompts: PromptsView {
                system: prompts.system(),
                search_description: prompts.search_description(),
                search_q_param: prompts.search_q_param(),
                search_filter_param: prompts.search_filter_param(),
                search_index_uid_param: prompts.search_index_uid_param(),
            },
        }
    }
}
