//! The instance as a whole: health, version, figures, dumps, snapshots, features.

use meilisearch_sdk::client::Client;
use meilisearch_sdk::features::ExperimentalFeatures;
use meilisearch_sdk::reqwest::ReqwestClient;

use crate::case;
use crate::context::{Context, variable};
use crate::suite::{Suite, equal, holds};

pub async fn cases(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(suite, ["Client.new", "Client.get_host", "Client.get_api_key"], {
        let made = Client::new(variable("SONDE_URL"), Some("a-key"))?;
        equal(made.get_host(), variable("SONDE_URL").as_str())?;
        equal(made.get_api_key(), Some("a-key"))?;
    });

    case!(suite, ["Client.new_with_client"], {
        let carrier = ReqwestClient::new(Some(&variable("SONDE_MASTER_KEY")))?;
        let made = Client::new_with_client(variable("SONDE_URL"), None::<String>, carrier);
        equal(made.get_index("books").await?.primary_key.as_deref(), Some("id"))?;
    });

    case!(suite, ["Client.health", "Client.is_healthy"], {
        equal(client.health().await?.status, "available")?;
        equal(client.is_healthy().await, true)?;
        let nobody = Client::new("http://127.0.0.1:1", None::<String>)?;
        equal(nobody.is_healthy().await, false)?;
    });

    case!(suite, ["Client.get_version"], {
        let version = client.get_version().await?;
        holds(!version.pkg_version.is_empty() && !version.commit_sha.is_empty(), "a version")?;
    });

    case!(suite, ["Client.get_stats"], {
        let stats = client.get_stats().await?;
        holds(stats.database_size > 0 && stats.last_update.is_some(), "figures")?;
        equal(stats.indexes["books"].number_of_documents, 6)?;
    });

    case!(suite, ["Client.create_dump"], {
        context.done(client.create_dump().await?).await?;
    });

    case!(suite, ["Client.create_snapshot"], {
        context.done(client.create_snapshot().await?).await?;
    });

    case!(
        suite,
        [
            "ExperimentalFeatures.new",
            "ExperimentalFeatures.get",
            "ExperimentalFeatures.update",
            "ExperimentalFeatures.set_metrics",
            "ExperimentalFeatures.set_logs_route",
            "ExperimentalFeatures.set_contains_filter",
            "ExperimentalFeatures.set_edit_documents_by_function",
            "ExperimentalFeatures.set_network",
            "ExperimentalFeatures.set_multimodal",
        ],
        {
            let mut features = ExperimentalFeatures::new(client);
            equal(features.get().await?.metrics, false)?;
            features.set_metrics(true).set_logs_route(true).set_contains_filter(true);
            features.set_edit_documents_by_function(true).set_network(true).set_multimodal(true);
            let updated = features.update().await?;
            holds(updated.metrics && updated.logs_route && updated.contains_filter, "three")?;
            holds(updated.edit_documents_by_function && updated.network, "two more")?;
            equal(features.get().await?.multimodal, true)?;
            features.set_metrics(false).set_logs_route(false).set_contains_filter(false);
            features.set_edit_documents_by_function(false).set_network(false);
            equal(features.set_multimodal(false).update().await?.network, false)?;
        }
    );
}
