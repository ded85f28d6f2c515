//! Query parameters that filter tasks or batches.

use ::tasks::{DateBounds, Query, Status, TaskType};
use deserr::Deserr;
use model::{Code, IndexUid, ServiceError};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use crate::http::field_error::query_code;
use crate::http::list::{List, Star};
use crate::http::query::{FromParameter, Param, QueryError};

/// Default number of entries on a page of tasks or batches.
const DEFAULT_LIMIT: u32 = model::limits::DEFAULT_PAGE_LIMIT as u32;

type Choice<T> = Option<List<Star<T>>>;
type Bound<T> = Option<Param<Star<T>>>;

/// Parameters of a list: a page, and the filter.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub struct ListParameters {
    #[deserr(default = Param(DEFAULT_LIMIT), error = query_code!(InvalidTaskLimit))]
    limit: Param<u32>,
    #[deserr(default, error = query_code!(InvalidTaskFrom))]
    from: Option<Param<u32>>,
    #[deserr(default = Param(false), error = query_code!(InvalidTaskReverse))]
    reverse: Param<bool>,
    #[deserr(default, error = query_code!(InvalidBatchUids))]
    batch_uids: Choice<u32>,
    #[deserr(default, error = query_code!(InvalidTaskUids))]
    uids: Choice<u32>,
    #[deserr(default, error = query_code!(InvalidTaskCanceledBy))]
    canceled_by: Choice<u32>,
    #[deserr(default, error = query_code!(InvalidTaskTypes))]
    types: Choice<TaskType>,
    #[deserr(default, error = query_code!(InvalidTaskStatuses))]
    statuses: Choice<Status>,
    #[deserr(default, error = query_code!(InvalidIndexUid))]
    index_uids: Choice<IndexUid>,
    #[deserr(default, error = query_code!(InvalidTaskAfterEnqueuedAt))]
    after_enqueued_at: Bound<After>,
    #[deserr(default, error = query_code!(InvalidTaskBeforeEnqueuedAt))]
    before_enqueued_at: Bound<Before>,
    #[deserr(default, error = query_code!(InvalidTaskAfterStartedAt))]
    after_started_at: Bound<After>,
    #[deserr(default, error = query_code!(InvalidTaskBeforeStartedAt))]
    before_started_at: Bound<Before>,
    #[deserr(default, error = query_code!(InvalidTaskAfterFinishedAt))]
    after_finished_at: Bound<After>,
    #[deserr(default, error = query_code!(InvalidTaskBeforeFinishedAt))]
    before_finished_at: Bound<Before>,
}

impl ListParameters {
    pub fn query(self) -> Query {
        let filter = TaskFilter {
            uids: self.uids,
            batch_uids: self.batch_uids,
            canceled_by: self.canceled_by,
            types: self.types,
            statuses: self.statuses,
            index_uids: self.index_uids,
            after_enqueued_at: self.after_enqueued_at,
            before_enqueued_at: self.before_enqueued_at,
            after_started_at: self.after_started_at,
            before_started_at: self.before_started_at,
            after_finished_at: self.after_finished_at,
            before_finished_at: self.before_finished_at,
        };
        Query {
            limit: Some(self.limit.0),
            from: self.from.map(|Param(from)| from),
            reverse: self.reverse.0,
            ..filter.query()
        }
    }
}

/// Parameters of a cancelation or a deletion, in the order of error messages.
#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
pub struct TaskFilter {
    #[deserr(default, error = query_code!(InvalidTaskUids))]
    pub uids: Choice<u32>,
    #[deserr(default, error = query_code!(InvalidBatchUids))]
    pub batch_uids: Choice<u32>,
    #[deserr(default, error = query_code!(InvalidTaskCanceledBy))]
    pub canceled_by: Choice<u32>,
    #[deserr(default, error = query_code!(InvalidTaskTypes))]
    pub types: Choice<TaskType>,
    #[deserr(default, error = query_code!(InvalidTaskStatuses))]
    pub statuses: Choice<Status>,
    #[deserr(default, error = query_code!(InvalidIndexUid))]
    pub index_uids: Choice<IndexUid>,
    #[deserr(default, error = query_code!(InvalidTaskAfterEnqueuedAt))]
    pub after_enqueued_at: Bound<After>,
    #[deserr(default, error = query_code!(InvalidTaskBeforeEnqueuedAt))]
    pub before_enqueued_at: Bound<Before>,
    #[deserr(default, error = query_code!(InvalidTaskAfterStartedAt))]
    pub after_started_at: Bound<After>,
    #[deserr(default, error = query_code!(InvalidTaskBeforeStartedAt))]
    pub before_started_at: Bound<Before>,
    #[deserr(default, error = query_code!(InvalidTaskAfterFinishedAt))]
    pub after_finished_at: Bound<After>,
    #[deserr(default, error = query_code!(InvalidTaskBeforeFinishedAt))]
    pub before_finished_at: Bound<Before>,
}

impl TaskFilter {
    /// Refuses an empty filter: it would select every task, surely by mistake.
    pub fn check_selects(&self, verb: &str) -> Result<(), ServiceError> {
        if self.says_nothing() {
            return Err(ServiceError::new(
                Code::MissingTaskFilters,
                format!(
                    "Query parameters to filter the tasks to {verb} are missing. Available query \
                     parameters are: `uids`, `indexUids`, `statuses`, `types`, `canceledBy`, \
                     `beforeEnqueuedAt`, `afterEnqueuedAt`, `beforeStartedAt`, `afterStartedAt`, \
                     `beforeFinishedAt`, `afterFinishedAt`."
                ),
            ));
        }
        Ok(())
    }

    fn says_nothing(&self) -> bool {
        self.uids.is_none()
            && self.batch_uids.is_none()
            && self.canceled_by.is_none()
            && self.types.is_none()
            && self.statuses.is_none()
            && self.index_uids.is_none()
            && self.after_enqueued_at.is_none()
            && self.before_enqueued_at.is_none()
            && self.after_started_at.is_none()
            && self.before_started_at.is_none()
            && self.after_finished_at.is_none()
            && self.before_finished_at.is_none()
    }

    pub fn query(self) -> Query {
        let names = self.index_uids.and_then(List::restriction);
        Query {
            limit: None,
            from: None,
            reverse: false,
            uids: self.uids.and_then(List::restriction),
            batch_uids: self.batch_uids.and_then(List::restriction),
            canceled_by: self.canceled_by.and_then(List::restriction),
            types: self.types.and_then(List::restriction),
            statuses: self.statuses.and_then(List::restriction),
            index_uids: names.map(|names| names.into_iter().map(IndexUid::into_string).collect()),
            enqueued: bounds(self.after_enqueued_at, self.before_enqueued_at),
            started: bounds(self.after_started_at, self.before_started_at),
            finished: bounds(self.after_finished_at, self.before_finished_at),
        }
    }
}

fn bounds(after: Bound<After>, before: Bound<Before>) -> DateBounds {
    DateBounds {
        after: given(after).map(|After(date)| date),
        before: given(before).map(|Before(date)| date),
    }
}

/// Returns the bound; `*` is accepted as no bound.
fn given<T>(bound: Bound<T>) -> Option<T> {
    match bound {
        Some(Param(Star::One(bound))) => Some(bound),
        Some(Param(Star::All)) | None => None,
    }
}

impl FromParameter for TaskType {
    fn from_parameter(text: &str) -> Result<Self, String> {
        TaskType::parse(text).map_err(|error| error.message)
    }
}

impl FromParameter for Status {
    fn from_parameter(text: &str) -> Result<Self, String> {
        Status::parse(text).map_err(|error| error.message)
    }
}

impl FromParameter for IndexUid {
    fn from_parameter(text: &str) -> Result<Self, String> {
        IndexUid::new(text).map_err(|error| error.message)
    }
}

/// A lower bound. A date without a time is excluded as a whole, so it means the midnight after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct After(OffsetDateTime);

/// An upper bound. A date without a time means the midnight before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before(OffsetDateTime);

impl FromParameter for After {
    fn from_parameter(text: &str) -> Result<Self, String> {
        let instant = match day(text) {
            Some(day) => day.next_day().map(midnight),
            None => instant(text),
        };
        instant.map(After).ok_or_else(|| invalid_date(text))
    }
}

impl FromParameter for Before {
    fn from_parameter(text: &str) -> Result<Self, String> {
        let instant = match day(text) {
            Some(day) => Some(midnight(day)),
            None => instant(text),
        };
        instant.map(Before).ok_or_else(|| invalid_date(text))
    }
}

fn day(text: &str) -> Option<Date> {
    Date::parse(text, format_description!("[year]-[month]-[day]")).ok()
}

fn midnight(day: Date) -> OffsetDateTime {
    day.midnight().assume_utc()
}

fn instant(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

fn invalid_date(text: &str) -> String {
    format!(
        "`{text}` is an invalid date-time. It should follow the YYYY-MM-DD or RFC 3339 date-time format."
    )
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::http::query;

    #[test]
    fn a_day_is_excluded_as_a_whole() {
        assert_eq!(After::from_parameter("2024-02-29"), Ok(After(datetime!(2024-03-01 00:00 UTC))));
        assert_eq!(
            Before::from_parameter("2024-02-29"),
            Ok(Before(datetime!(2024-02-29 00:00 UTC)))
        );
        assert_eq!(
            After::from_parameter("2001-01-01T00:00:00+02:00"),
            Ok(After(datetime!(2000-12-31 22:00 UTC)))
        );
        assert!(After::from_parameter("1999-12-31T23:59:60Z").is_ok());
        for bad in [
            "yesterday",
            "2024-13-01",
            "2024-02-30",
            "2024-1-1",
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00",
            "",
            "1704067200",
            "2024-01-01T25:00:00Z",
        ] {
            assert_eq!(After::from_parameter(bad), Err(invalid_date(bad)));
        }
    }

    #[test]
    fn stars_bound_nothing_but_count_as_a_filter() {
        let filter = query::read::<TaskFilter>(Some("uids=*&beforeEnqueuedAt=*")).unwrap();
        filter.check_selects("cancel").unwrap();
        let query = filter.query();
        assert_eq!(query, Query::default());
        let nothing = query::read::<TaskFilter>(Some("")).unwrap();
        assert_eq!(nothing.check_selects("delete").unwrap_err().code, Code::MissingTaskFilters);
    }
}
