//! Making, reading, listing, renaming, swapping and deleting indexes.

use meilisearch_sdk::client::SwapIndexes;
use meilisearch_sdk::indexes::{Index, IndexUpdater, IndexesQuery};

use crate::case;
use crate::context::{Context, books, code};
use crate::suite::{Suite, equal, holds};

pub async fn cases(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.create_index",
            "Client.get_index",
            "Client.get_raw_index",
            "Client.index",
            "Index.new"
        ],
        {
            let uid = context.uid();
            context.done(client.create_index(&uid, Some("code")).await?).await?;
            let index = client.get_index(&uid).await?;
            equal(index.primary_key.as_deref(), Some("code"))?;
            holds(index.created_at.is_some() && index.updated_at.is_some(), "times")?;
            equal(client.get_raw_index(&uid).await?["uid"].as_str(), Some(uid.as_str()))?;
            equal(&client.index(&uid).uid, &uid)?;
            equal(Index::new(&uid, client.clone()).get_stats().await?.number_of_documents, 0)?;
            let again = context.failed(client.create_index(&uid, None).await?).await?;
            equal(again, "index_already_exists")?;
            equal(code(client.get_index("nowhere").await)?, "index_not_found")?;
        }
    );

    case!(
        suite,
        [
            "Client.list_all_indexes",
            "Client.list_all_indexes_with",
            "Client.list_all_indexes_raw",
            "Client.list_all_indexes_raw_with",
            "Client.get_indexes",
            "Client.get_indexes_with",
            "Client.get_indexes_raw",
            "Client.get_indexes_raw_with",
            "IndexesQuery.new",
            "IndexesQuery.with_offset",
            "IndexesQuery.with_limit",
            "IndexesQuery.execute",
        ],
        {
            let total = client.list_all_indexes().await?.total;
            holds(total >= 2, "two indexes")?;
            equal(client.get_indexes().await?.total, total)?;
            equal(client.list_all_indexes_raw().await?["total"].as_u64(), Some(u64::from(total)))?;
            equal(client.get_indexes_raw().await?["offset"].as_u64(), Some(0))?;
            let mut query = IndexesQuery::new(client);
            query.with_limit(1).with_offset(0);
            equal(client.list_all_indexes_with(&query).await?.results[0].uid.as_str(), "books")?;
            equal(client.get_indexes_with(&query).await?.results.len(), 1)?;
            equal(client.list_all_indexes_raw_with(&query).await?["limit"].as_u64(), Some(1))?;
            let raw = client.get_indexes_raw_with(&query).await?;
            equal(raw["results"][0]["uid"].as_str(), Some("books"))?;
            equal(query.with_offset(1).execute().await?.offset, 1)?;
        }
    );

    case!(
        suite,
        [
            "IndexUpdater.new",
            "IndexUpdater.with_primary_key",
            "IndexUpdater.with_uid",
            "IndexUpdater.with_new_uid",
            "IndexUpdater.execute",
        ],
        {
            let (old, second, third) = (context.uid(), context.uid(), context.uid());
            context.done(client.create_index(&old, None).await?).await?;
            let mut update = IndexUpdater::new(&old, client);
            let info = update.with_primary_key("code").with_uid(&second).execute().await?;
            context.done(info).await?;
            equal(client.get_index(&second).await?.primary_key.as_deref(), Some("code"))?;
            let mut update = IndexUpdater::new(&second, client);
            context.done(update.with_new_uid(&third).execute().await?).await?;
            equal(code(client.get_index(&second).await)?, "index_not_found")?;
            equal(&client.get_index(&third).await?.uid, &third)?;
        }
    );

    case!(
        suite,
        ["Index.update", "Index.set_primary_key", "Index.get_primary_key", "Index.fetch_info"],
        {
            let uid = context.uid();
            context.done(client.create_index(&uid, None).await?).await?;
            let mut index = client.index(&uid);
            context.done(index.set_primary_key("isbn").await?).await?;
            equal(index.get_primary_key().await?, Some("isbn"))?;
            index.primary_key = Some("code".to_owned());
            context.done(index.update().await?).await?;
            index.fetch_info().await?;
            equal(index.primary_key.as_deref(), Some("code"))?;
        }
    );

    case!(suite, ["Index.get_stats", "Index.compact"], {
        let index = context.index().await?;
        context.done(index.compact().await?).await?;
        let stats = index.get_stats().await?;
        equal((stats.number_of_documents, stats.is_indexing), (6, false))?;
        equal(stats.field_distribution["title"], 6)?;
    });

    case!(suite, ["Client.swap_indexes"], {
        let (left, right) = (context.index().await?, client.index(context.uid()));
        context.done(right.add_documents(&books()[..1], None).await?).await?;
        let swap = SwapIndexes { indexes: (left.uid.clone(), right.uid.clone()), rename: None };
        context.done(client.swap_indexes([&swap]).await?).await?;
        equal(left.get_stats().await?.number_of_documents, 1)?;
        equal(right.get_stats().await?.number_of_documents, 6)?;
    });

    case!(suite, ["Client.delete_index", "Index.delete"], {
        let (first, second) = (context.index().await?, context.index().await?);
        context.done(client.delete_index(&first.uid).await?).await?;
        let uid = second.uid.clone();
        context.done(second.delete().await?).await?;
        equal(code(client.get_index(&uid).await)?, "index_not_found")?;
        let gone = context.failed(client.delete_index(&uid).await?).await?;
        equal(gone, "index_not_found")?;
    });
}
