//! Chat workspaces, with a provider on loopback that always answers the same.

use meilisearch_sdk::chats::{ChatPrompts, ChatWorkspaceSettings, ChatWorkspacesQuery};
use serde_json::json;

use crate::case;
use crate::context::{Context, code, variable};
use crate::suite::{Suite, equal, holds};

pub async fn cases(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.update_chat_workspace_settings",
            "Client.get_chat_workspace_settings",
            "Client.get_chat_workspace",
            "ChatWorkspaceSettings.new",
            "ChatWorkspaceSettings.set_source",
            "ChatWorkspaceSettings.set_org_id",
            "ChatWorkspaceSettings.set_project_id",
            "ChatWorkspaceSettings.set_api_version",
            "ChatWorkspaceSettings.set_deployment_id",
            "ChatWorkspaceSettings.set_base_url",
            "ChatWorkspaceSettings.set_api_key",
            "ChatWorkspaceSettings.set_prompts",
            "ChatPrompts.new",
            "ChatPrompts.set_system",
            "ChatPrompts.set_search_description",
            "ChatPrompts.set_search_q_param",
            "ChatPrompts.set_search_index_uid_param",
            "ChatPrompts.insert",
        ],
        {
            context.enable("chatCompletions").await?;
            equal(code(client.get_chat_workspace("desk").await)?, "chat_not_found")?;
            let mut prompts = ChatPrompts::new();
            prompts
                .set_system("Be brief.")
                .set_search_description("Books.")
                .set_search_q_param("Words.")
                .set_search_index_uid_param("An index.")
                .insert("searchFilterParam", "A filter.");
            let mut settings = ChatWorkspaceSettings::new();
            settings
                .set_source("vLlm")
                .set_org_id("org")
                .set_project_id("project")
                .set_api_version("1")
                .set_deployment_id("one")
                .set_base_url(variable("PROVIDER_URL"))
                .set_api_key("a-secret-api-key")
                .set_prompts(prompts);
            let updated = client.update_chat_workspace_settings("desk", &settings).await?;
            equal(updated.source.as_deref(), Some("vLlm"))?;
            equal(updated.api_key.as_deref(), Some("a-XXXX..."))?;
            let read = client.get_chat_workspace_settings("desk").await?;
            equal(
                (read.org_id.as_deref(), read.deployment_id.as_deref()),
                (Some("org"), Some("one")),
            )?;
            let prompts = read.prompts.ok_or("no prompts")?;
            equal(prompts.system.as_deref(), Some("Be brief."))?;
            equal(prompts.extra["searchFilterParam"].as_str(), "A filter.")?;
            equal(client.get_chat_workspace("desk").await?.uid.as_str(), "desk")?;
        }
    );

    case!(
        suite,
        [
            "Client.list_chat_workspaces",
            "Client.list_chat_workspaces_with",
            "ChatWorkspacesQuery.new",
            "ChatWorkspacesQuery.with_offset",
            "ChatWorkspacesQuery.with_limit",
            "ChatWorkspacesQuery.execute",
        ],
        {
            let all = client.list_chat_workspaces().await?;
            equal((all.total, all.results[0].uid.as_str()), (1, "desk"))?;
            let mut query = ChatWorkspacesQuery::new(client);
            query.with_offset(1).with_limit(5);
            equal(client.list_chat_workspaces_with(&query).await?.results.len(), 0)?;
            equal(query.execute().await?.limit, 5)?;
        }
    );

    case!(suite, ["Client.stream_chat_completion"], {
        let body = json!({
            "model": "small",
            "messages": [{"role": "user", "content": "How is the harbour?"}],
            "stream": true,
        });
        let answer = client.stream_chat_completion("desk", &body).await?.text().await?;
        holds(answer.contains("harbour") && answer.contains("[DONE]"), &answer)?;
    });

    case!(suite, ["Client.reset_chat_workspace_settings"], {
        let reset = client.reset_chat_workspace_settings("desk").await?;
        equal((reset.source.as_deref(), reset.org_id), (Some("openAi"), None))?;
    });
}
