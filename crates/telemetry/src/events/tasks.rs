//! Filters of task cancelations and deletions.

use crate::event_totals::Tally;
use crate::fields::Fields;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskChoice {
    pub uids: bool,
    pub index_uids: bool,
    pub types: bool,
    pub statuses: bool,
    pub canceled_by: bool,
    pub before_enqueued_at: bool,
    pub after_enqueued_at: bool,
    pub before_started_at: bool,
    pub after_started_at: bool,
    pub before_finished_at: bool,
    pub after_finished_at: bool,
}

#[derive(Debug, Default)]
pub(crate) struct TaskChoiceTally(TaskChoice);

macro_rules! chosen_by {
    ($($field:ident => $path:literal, $meaning:literal;)*) => {
        impl Tally for TaskChoiceTally {
            type Event = TaskChoice;

            fn add(&mut self, choice: TaskChoice) {
                let TaskChoiceTally(used) = self;
                let TaskChoice { $($field),* } = choice;
                $(used.$field |= $field;)*
            }

            fn report(&self, fields: &mut Fields) {
                let TaskChoiceTally(used) = self;
                fields.put("per_task_uid", used.uids, "Whether tasks were named.");
                fields.put("per_index_uid", used.index_uids, "Whether indexes were.");
                $(fields.put($path, used.$field, $meaning);)*
            }
        }
    };
}

chosen_by! {
    uids => "filtered_by_uid", "Whether `uids` was used.";
    index_uids => "filtered_by_index_uid", "Whether `indexUids` was used.";
    types => "filtered_by_type", "Whether `types` was used.";
    statuses => "filtered_by_status", "Whether `statuses` was used.";
    canceled_by => "filtered_by_canceled_by", "Whether `canceledBy` was used.";
    before_enqueued_at => "filtered_by_before_enqueued_at", "Whether `beforeEnqueuedAt` was used.";
    after_enqueued_at => "filtered_by_after_enqueued_at", "Whether `afterEnqueuedAt` was used.";
    before_started_at => "filtered_by_before_started_at", "Whether `beforeStartedAt` was used.";
    after_started_at => "filtered_by_after_started_at", "Whether `afterStartedAt` was used.";
    before_finished_at => "filtered_by_before_finished_at", "Whether `beforeFinishedAt` was used.";
    after_finished_at => "filtered_by_after_finished_at", "Whether `afterFinishedAt` was used.";
}
