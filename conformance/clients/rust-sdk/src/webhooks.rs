//! Webhooks: made, changed, told of tasks, removed.

use std::time::Duration;

use meilisearch_sdk::webhooks::{WebhookCreate, WebhookUpdate};
use serde_json::Value;

use crate::case;
use crate::context::{Context, code, variable};
use crate::suite::{Problem, Suite, equal, holds};

pub async fn cases(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.create_webhook",
            "Client.get_webhook",
            "Client.get_webhooks",
            "Client.update_webhook",
            "Client.delete_webhook",
            "WebhookCreate.new",
            "WebhookCreate.with_header",
            "WebhookCreate.insert_header",
            "WebhookUpdate.new",
            "WebhookUpdate.with_url",
            "WebhookUpdate.set_header",
            "WebhookUpdate.remove_header",
            "WebhookUpdate.reset_headers",
        ],
        {
            let url = format!("{}/hook/rust", variable("PROVIDER_URL"));
            let mut hook = WebhookCreate::new("https://hooks.example/")
                .with_header("Authorization", "Bearer a-secret-token");
            hook.insert_header("X-Team", "sea");
            let made = client.create_webhook(&hook).await?;
            equal(made.is_editable, true)?;
            equal(made.webhook.headers["Authorization"].as_str(), "Bearer a-XXXX...")?;
            let uuid = made.uuid.to_string();
            let mut change = WebhookUpdate::new();
            change.with_url(&url).set_header("X-Shift", "night").remove_header("X-Team");
            let changed = client.update_webhook(&uuid, &change).await?;
            equal(changed.webhook.url.as_str(), url.as_str())?;
            equal(changed.webhook.headers.contains_key("X-Team"), false)?;
            equal(changed.webhook.headers["X-Shift"].as_str(), "night")?;
            equal(client.get_webhook(&uuid).await?.uuid, made.uuid)?;
            equal(client.get_webhooks().await?.results.len(), 1)?;

            let task = client.create_index(context.uid(), None).await?.get_task_uid();
            holds(is_told(&url, task).await?, "the webhook is told of the task")?;
            let mut change = WebhookUpdate::new();
            change.reset_headers();
            equal(client.update_webhook(&uuid, &change).await?.webhook.headers.len(), 0)?;
            client.delete_webhook(&uuid).await?;
            equal(code(client.get_webhook(&uuid).await)?, "webhook_not_found")?;
        }
    );
}

/// It is told after the task is done.
async fn is_told(url: &str, task: u32) -> Result<bool, Problem> {
    for _ in 0..2000 {
        let calls: Value = reqwest::get(url).await?.json().await?;
        let calls = calls.as_array().into_iter().flatten();
        let mut tasks = calls.filter_map(|call| call["tasks"].as_array()).flatten();
        if tasks.any(|told| told["uid"] == task) {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    Ok(false)
}
