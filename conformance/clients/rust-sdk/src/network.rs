//! The network of the instance. Every method that changes it expects a task, so there must be a
//! leader first.

use meilisearch_sdk::network::NetworkUpdate;
use meilisearch_sdk::task_info::TaskInfo;
use serde_json::json;

use crate::case;
use crate::context::{Context, variable};
use crate::suite::{Suite, equal};

pub async fn cases(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(suite, ["Client.get_network_state"], {
        context.enable("network").await?;
        let network = client.get_network_state().await?;
        equal((network.self_name, network.leader), (None, None))?;
        equal(network.remotes.map(|remotes| remotes.len()), Some(0))?;
    });

    case!(
        suite,
        ["Client.update_network_state", "Client.set_self_remote", "Client.set_network_leader"],
        {
            let key = variable("SONDE_MASTER_KEY");
            let one =
                json!({"url": variable("SONDE_URL"), "searchApiKey": key, "writeApiKey": key});
            let begun = context
                .patch(
                    "/network",
                    &json!({
                        "self": "one",
                        "leader": "one",
                        "remotes": {"one": one},
                        "shards": {"a": {"remotes": ["one"]}},
                    }),
                )
                .await?;
            context.done(serde_json::from_value::<TaskInfo>(begun)?).await?;
            context.done(client.set_network_leader("one").await?).await?;
            context.done(client.set_self_remote("one").await?).await?;
            let change = NetworkUpdate { leader: Some("one".to_owned()), ..Default::default() };
            context.done(client.update_network_state(&change).await?).await?;
            let network = client.get_network_state().await?;
            equal(
                (network.self_name.as_deref(), network.leader.as_deref()),
                (Some("one"), Some("one")),
            )?;
        }
    );
}
