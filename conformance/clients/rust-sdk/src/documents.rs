//! Adding, updating, reading and deleting documents.

use futures_util::io::Cursor;
use meilisearch_sdk::documents::{DocumentDeletionQuery, DocumentQuery, DocumentsQuery};
use serde_json::{Value, json};

use crate::case;
use crate::context::{Context, books, code};
use crate::suite::{Suite, equal};

pub async fn cases(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(suite, ["Index.add_documents", "Index.add_or_replace", "Index.get_document"], {
        let index = client.index(context.uid());
        context.done(index.add_documents(&books(), Some("id")).await?).await?;
        let replacing = [json!({"id": 1, "title": "Another"})];
        context.done(index.add_or_replace(&replacing, None).await?).await?;
        equal(index.get_document::<Value>("1").await?, replacing[0].clone())?;
        equal(code(index.get_document::<Value>("77").await)?, "document_not_found")?;
    });

    case!(suite, ["Index.add_or_update"], {
        let index = context.index().await?;
        let change = [json!({"id": 1, "pages": 5}), json!({"id": 70, "pages": 1})];
        context.done(index.add_or_update(&change, None).await?).await?;
        let book: Value = index.get_document("1").await?;
        equal(
            (book["title"].as_str(), book["pages"].as_u64()),
            (Some("The Quiet Harbour"), Some(5)),
        )?;
        equal(index.get_stats().await?.number_of_documents, 7)?;
    });

    case!(
        suite,
        [
            "Index.add_or_replace_unchecked_payload",
            "Index.add_or_update_unchecked_payload",
            "Index.add_documents_ndjson",
            "Index.update_documents_ndjson",
            "Index.add_documents_csv",
            "Index.update_documents_csv",
        ],
        {
            let index = client.index(context.uid());
            let payload = |text: &'static str| Cursor::new(text.as_bytes());
            let lines = payload("{\"id\": 1, \"a\": 1}\n{\"id\": 2, \"a\": 2}\n");
            context.done(index.add_documents_ndjson(lines, Some("id")).await?).await?;
            let lines = payload("{\"id\": 1, \"b\": 1}\n");
            context.done(index.update_documents_ndjson(lines, None).await?).await?;
            let table = payload("id:number,a:number\n3,3\n");
            context.done(index.add_documents_csv(table, None).await?).await?;
            let table = payload("id:number,b:number\n3,4\n");
            context.done(index.update_documents_csv(table, None).await?).await?;
            let array = payload("[{\"id\": 4}]");
            let sent = index.add_or_replace_unchecked_payload(array, "application/json", None);
            context.done(sent.await?).await?;
            let array = payload("[{\"id\": 4, \"c\": true}]");
            let sent = index.add_or_update_unchecked_payload(array, "application/json", None);
            context.done(sent.await?).await?;
            let found = index.get_documents::<Value>().await?.results;
            let expected = [
                json!({"id": 1, "a": 1, "b": 1}),
                json!({"id": 2, "a": 2}),
                json!({"id": 3, "a": 3, "b": 4}),
                json!({"id": 4, "c": true}),
            ];
            equal(found, expected.to_vec())?;
        }
    );

    case!(suite, ["Index.add_documents_in_batches", "Index.update_documents_in_batches"], {
        let index = client.index(context.uid());
        let sent = index.add_documents_in_batches(&books(), Some(4), Some("id")).await?;
        equal(sent.len(), 2)?;
        for info in sent {
            context.done(info).await?;
        }
        let changes: Vec<Value> = (1..=3).map(|id| json!({"id": id, "read": true})).collect();
        for info in index.update_documents_in_batches(&changes, Some(1), None).await? {
            context.done(info).await?;
        }
        equal(index.get_stats().await?.field_distribution["read"], 3)?;
        equal(index.get_stats().await?.number_of_documents, 6)?;
    });

    case!(
        suite,
        [
            "Index.get_document_with",
            "DocumentQuery.new",
            "DocumentQuery.with_fields",
            "DocumentQuery.execute",
        ],
        {
            let mut query = DocumentQuery::new(&context.books);
            query.with_fields(["title", "year"]);
            let expected = json!({"title": "A Field of Owls", "year": 2010});
            equal(context.books.get_document_with::<Value>("3", &query).await?, expected.clone())?;
            equal(query.execute::<Value>("3").await?, expected)?;
        }
    );

    case!(
        suite,
        [
            "Index.get_documents",
            "Index.get_documents_with",
            "DocumentsQuery.new",
            "DocumentsQuery.with_offset",
            "DocumentsQuery.with_limit",
            "DocumentsQuery.with_fields",
            "DocumentsQuery.with_sort",
            "DocumentsQuery.with_filter",
            "DocumentsQuery.with_ids",
            "DocumentsQuery.execute",
        ],
        {
            let index = &context.books;
            let all = index.get_documents::<Value>().await?;
            equal((all.results.len(), all.total, all.limit), (6, 6, 20))?;
            let mut query = DocumentsQuery::new(index);
            query.with_offset(1).with_limit(2).with_fields(["id"]);
            let page = query.execute::<Value>().await?;
            equal(page.results, vec![json!({"id": 2}), json!({"id": 3})])?;
            let mut query = DocumentsQuery::new(index);
            query.with_filter("genres = sea").with_sort(["year:desc"]).with_fields(["id"]);
            let found = index.get_documents_with::<Value>(&query).await?;
            equal(found.results, vec![json!({"id": 2}), json!({"id": 1})])?;
            let mut query = DocumentsQuery::new(index);
            query.with_ids(["5", "99"]).with_fields(["id"]);
            equal(query.execute::<Value>().await?.results, vec![json!({"id": 5})])?;
        }
    );

    case!(
        suite,
        [
            "Index.delete_document",
            "Index.delete_documents",
            "Index.delete_documents_with",
            "DocumentDeletionQuery.new",
            "DocumentDeletionQuery.with_filter",
            "DocumentDeletionQuery.execute",
            "Index.delete_all_documents",
        ],
        {
            let index = context.index().await?;
            context.done(index.set_filterable_attributes(["year"]).await?).await?;
            context.done(index.delete_document(1).await?).await?;
            context.done(index.delete_documents(&[2, 3]).await?).await?;
            let mut query = DocumentDeletionQuery::new(&index);
            query.with_filter("year = 2012");
            context.done(index.delete_documents_with(&query).await?).await?;
            equal(index.get_stats().await?.number_of_documents, 2)?;
            query.with_filter("year = 2015");
            context.done(query.execute::<Value>().await?).await?;
            equal(index.get_stats().await?.number_of_documents, 1)?;
            context.done(index.delete_all_documents().await?).await?;
            equal(index.get_stats().await?.number_of_documents, 0)?;
        }
    );
}
