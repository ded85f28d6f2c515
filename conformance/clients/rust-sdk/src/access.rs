//! Keys and tenant tokens.

use std::time::Duration;

use meilisearch_sdk::client::Client;
use meilisearch_sdk::key::{Action, KeyBuilder, KeyUpdater, KeysQuery};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::case;
use crate::context::{Context, code, ids, variable};
use crate::suite::{Suite, equal, holds};

pub async fn cases(suite: &mut Suite, context: &Context) {
    keys(suite, context).await;
    changes(suite, context).await;
    tokens(suite, context).await;
}

async fn keys(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.get_keys",
            "Client.get_keys_with",
            "KeysQuery.new",
            "KeysQuery.with_limit",
            "KeysQuery.with_offset",
            "KeysQuery.execute",
        ],
        {
            equal(client.get_keys().await?.results.len(), 4)?;
            let mut query = KeysQuery::new();
            query.with_limit(1).with_offset(1);
            let found = client.get_keys_with(&query).await?;
            equal(found.results[0].name.as_deref(), Some("Default Admin API Key"))?;
            equal(query.execute(client).await?.offset, 1)?;
        }
    );

    case!(
        suite,
        [
            "Client.create_key",
            "Client.get_key",
            "Client.delete_key",
            "KeyBuilder.new",
            "KeyBuilder.with_actions",
            "KeyBuilder.with_action",
            "KeyBuilder.with_expires_at",
            "KeyBuilder.with_indexes",
            "KeyBuilder.with_index",
            "KeyBuilder.with_description",
            "KeyBuilder.with_name",
            "KeyBuilder.with_uid",
            "KeyBuilder.execute",
        ],
        {
            let uid = "2a8a6f0e-9a2c-4c7b-8f43-0c5f4be6d001";
            let mut builder = KeyBuilder::new();
            builder
                .with_actions([Action::Search])
                .with_action(Action::DocumentsGet)
                .with_expires_at(OffsetDateTime::now_utc() + Duration::from_secs(3600))
                .with_indexes(["books"])
                .with_index("made-*")
                .with_description("of the suite")
                .with_name("Reader")
                .with_uid(uid);
            let key = client.create_key(&builder).await?;
            equal((key.uid.as_str(), key.name.as_deref()), (uid, Some("Reader")))?;
            equal(key.indexes.clone(), vec!["books".to_owned(), "made-*".to_owned()])?;
            equal(key.actions.len(), 2)?;
            let reader = Client::new(variable("SONDE_URL"), Some(&key.key))?;
            let book: Value = reader.index("books").get_document("3").await?;
            equal(book["title"].as_str(), Some("A Field of Owls"))?;
            equal(code(reader.get_keys().await)?, "invalid_api_key")?;
            equal(client.get_key(&key).await?.key, key.key.clone())?;
            client.delete_key(&key).await?;
            equal(code(client.get_key(uid).await)?, "api_key_not_found")?;
            let mut builder = KeyBuilder::new();
            builder.with_action(Action::Search).with_index("*");
            let key = builder.execute(client).await?;
            client.delete_key(&key).await?;
        }
    );
}

async fn changes(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.update_key",
            "KeyUpdater.new",
            "KeyUpdater.with_description",
            "KeyUpdater.with_name",
            "KeyUpdater.execute",
            "Key.with_description",
            "Key.with_name",
            "Key.update",
            "Key.delete",
        ],
        {
            let mut builder = KeyBuilder::new();
            let mut key =
                builder.with_action(Action::Search).with_index("*").execute(client).await?;
            let mut change = KeyUpdater::new(&key);
            change.with_description("first").with_name("one");
            let changed = client.update_key(&change).await?;
            equal(changed.description.as_deref(), Some("first"))?;
            let changed = change.with_name("two").execute(client).await?;
            equal(changed.name.as_deref(), Some("two"))?;
            key.with_description("third").with_name("three");
            let changed = key.update(client).await?;
            equal(
                (changed.description.as_deref(), changed.name.as_deref()),
                (Some("third"), Some("three")),
            )?;
            key.delete(client).await?;
            equal(code(client.get_key(&key).await)?, "api_key_not_found")?;
        }
    );
}

async fn tokens(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(suite, ["Client.generate_tenant_token"], {
        let mut builder = KeyBuilder::new();
        let key = builder.with_action(Action::Search).with_index("*").execute(client).await?;
        let rules = json!({"books": {"filter": "genres = sea"}});
        let late = OffsetDateTime::now_utc() + Duration::from_secs(3600);
        let token =
            client.generate_tenant_token(key.uid.clone(), rules, Some(&key.key), Some(late))?;
        let tenant = Client::new(variable("SONDE_URL"), Some(token))?;
        let found = tenant.index("books").search().execute::<Value>().await?;
        equal(ids(&found.hits), vec![1, 2])?;
        let refusal = tenant.index("other").search().execute::<Value>().await;
        holds(refusal.is_err(), "another index is refused")?;
        key.delete(client).await?;
    });
}
