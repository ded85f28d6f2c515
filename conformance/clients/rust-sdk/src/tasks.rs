//! Tasks and batches: reading, waiting, cancelling, deleting.

use std::time::Duration;

use meilisearch_sdk::batches::BatchesQuery;
use meilisearch_sdk::tasks::{TasksCancelQuery, TasksDeleteQuery, TasksSearchQuery};
use time::OffsetDateTime;

use crate::case;
use crate::context::{Context, books, code};
use crate::suite::{Suite, equal, holds};

const SOON: Option<Duration> = Some(Duration::from_millis(10));

pub async fn cases(suite: &mut Suite, context: &Context) {
    one_task(suite, context).await;
    lists(suite, context).await;
    changes(suite, context).await;
    batches(suite, context).await;
}

async fn one_task(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.get_task",
            "Client.wait_for_task",
            "Index.get_task",
            "Index.wait_for_task",
            "TaskInfo.get_task_uid",
            "TaskInfo.wait_for_completion",
            "Task.wait_for_completion",
            "Task.get_uid",
            "Task.is_success",
            "Task.is_failure",
            "Task.is_pending",
        ],
        {
            let index = client.index(context.uid());
            let info = index.add_documents(&books(), None).await?;
            let uid = info.get_task_uid();
            let task = client.wait_for_task(&info, SOON, None).await?;
            equal((task.get_uid(), task.is_success(), task.is_pending()), (uid, true, false))?;
            equal(index.wait_for_task(&info, SOON, None).await?.is_failure(), false)?;
            equal(client.get_task(&info).await?.get_uid(), uid)?;
            let read = index.get_task(&info).await?;
            equal(read.wait_for_completion(client, SOON, None).await?.is_success(), true)?;
            equal(info.wait_for_completion(client, SOON, None).await?.get_uid(), uid)?;
        }
    );

    case!(suite, ["Task.try_make_index", "Task.unwrap_failure"], {
        let uid = context.uid();
        let task = context.done(client.create_index(&uid, None).await?).await?;
        let index = task.try_make_index(client).map_err(|task| format!("{task:?}"))?;
        equal(&index.uid, &uid)?;
        let info = client.create_index(&uid, None).await?;
        let task = info.wait_for_completion(client, SOON, None).await?;
        let failure = task.clone().unwrap_failure();
        equal(failure.error_code.to_string(), "index_already_exists")?;
        holds(task.try_make_index(client).is_err(), "no index is made of a failure")?;
    });
}

async fn lists(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.get_tasks",
            "Client.get_tasks_with",
            "Index.get_tasks",
            "Index.get_tasks_with",
            "TasksQuery.new",
            "TasksQuery.with_index_uids",
            "TasksQuery.with_statuses",
            "TasksQuery.with_types",
            "TasksQuery.with_uids",
            "TasksQuery.with_limit",
            "TasksQuery.with_from",
            "TasksQuery.with_reverse",
            "TasksQuery.execute",
        ],
        {
            let index = context.index().await?;
            context.done(index.delete_document(1).await?).await?;
            let all = client.get_tasks().await?;
            holds(all.total > 2 && all.from.is_some(), "tasks")?;
            equal(index.get_tasks().await?.results.len(), 2)?;
            let mut query = TasksSearchQuery::new(client);
            query.with_index_uids([index.uid.as_str()]).with_statuses(["succeeded"]);
            query.with_types(["documentDeletion"]).with_limit(5);
            let found = client.get_tasks_with(&query).await?;
            equal((found.results.len(), found.limit), (1, 5))?;
            let uid = found.results[0].get_uid();
            let mut query = TasksSearchQuery::new(client);
            query.with_uids([&uid]).with_from(uid);
            equal(query.execute().await?.results[0].get_uid(), uid)?;
            let mut query = TasksSearchQuery::new(client);
            query.with_reverse(true).with_limit(1);
            equal(query.execute().await?.from, Some(0))?;
            let mut query = TasksSearchQuery::new(client);
            query.with_index_uids([index.uid.as_str()]).with_types(["documentDeletion"]);
            equal(index.get_tasks_with(&query).await?.results.len(), 1)?;
        }
    );

    case!(
        suite,
        [
            "TasksQuery.with_before_enqueued_at",
            "TasksQuery.with_after_enqueued_at",
            "TasksQuery.with_before_started_at",
            "TasksQuery.with_after_started_at",
            "TasksQuery.with_before_finished_at",
            "TasksQuery.with_after_finished_at",
            "TasksQuery.with_canceled_by",
        ],
        {
            let index = context.index().await?;
            let uid = index.uid.as_str();
            let (early, late) =
                (OffsetDateTime::UNIX_EPOCH, OffsetDateTime::now_utc() + Duration::from_secs(3600));
            let mut query = TasksSearchQuery::new(client);
            query.with_index_uids([uid]);
            query.with_after_enqueued_at(&early).with_before_enqueued_at(&late);
            query.with_after_started_at(&early).with_before_started_at(&late);
            query.with_after_finished_at(&early).with_before_finished_at(&late);
            equal(query.execute().await?.results.len(), 1)?;
            equal(query.with_after_finished_at(&late).execute().await?.results.len(), 0)?;
            let mut query = TasksSearchQuery::new(client);
            query.with_canceled_by([&4_000_000]);
            equal(query.execute().await?.results.len(), 0)?;
        }
    );
}

async fn changes(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(suite, ["Client.cancel_tasks_with"], {
        let mut query = TasksCancelQuery::new(client);
        query.with_uids([&0]);
        context.done(client.cancel_tasks_with(&query).await?).await?;
        context.done(query.execute().await?).await?;
    });

    case!(suite, ["Client.delete_tasks_with"], {
        let index = context.index().await?;
        let mut query = TasksDeleteQuery::new(client);
        query.with_index_uids([index.uid.as_str()]);
        context.done(client.delete_tasks_with(&query).await?).await?;
        equal(index.get_tasks().await?.results.len(), 0)?;
        context.done(query.execute().await?).await?;
        equal(
            code(client.delete_tasks_with(&TasksDeleteQuery::new(client)).await)?,
            "missing_task_filters",
        )?;
    });
}

async fn batches(suite: &mut Suite, context: &Context) {
    let client = &context.client;

    case!(
        suite,
        [
            "Client.get_batches",
            "Client.get_batches_with",
            "Client.get_batch",
            "BatchesQuery.new",
            "BatchesQuery.with_limit",
            "BatchesQuery.with_from",
            "BatchesQuery.execute",
        ],
        {
            let newest = client.get_batches().await?;
            let uid = newest.from.ok_or("no batch")?;
            let batch = client.get_batch(uid).await?;
            holds(batch.uid == uid && batch.finished_at.is_some(), "a batch that ended")?;
            let mut query = BatchesQuery::new(client);
            let query = query.with_limit(1).with_from(uid);
            let found = client.get_batches_with(&query).await?;
            equal((found.results.len(), found.results[0].uid), (1, uid))?;
            equal(query.execute().await?.limit, 1)?;
        }
    );
}
