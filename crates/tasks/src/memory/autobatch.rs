//! Decides how far a batch grows: given the waiting tasks of one index in order, how many run
//! together and as which kind of work. A pure function over a table; it reads no task and starts
//! nothing.

use super::strategy::Stop;
use crate::task::batch::Work;
use crate::task::content::Content;
use crate::task::ids::TaskUid;
use crate::task::runner::IndexState;
use crate::task::task_type::TaskType;

/// The properties of a task that batching depends on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TaskKind {
    Addition {
        primary_key: Option<String>,
        may_create_index: bool,
    },
    DeletionByIds,
    DeletionByFilter,
    Clear,
    Settings {
        may_create_index: bool,
    },
    IndexDeletion,
    DsrUpdate,
    DsrClear,
    /// Never shares a batch.
    Alone(Work),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate<'a> {
    pub uid: TaskUid,
    pub task_type: TaskType,
    pub kind: &'a TaskKind,
    pub payload_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub tasks: usize,
    pub payload_bytes: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub work: Work,
    pub tasks: Vec<TaskUid>,
    pub stop: Stop,
}

/// The rows of the growth table: what the batch is so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    WithAddition,
    DeletionsOnly,
    Clear,
    Settings,
    SettingsAndClear,
    DsrUpdate,
    DsrClear,
}

/// The columns: what the next task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Addition,
    DeletionByIds,
    DeletionByFilter,
    Clear,
    Settings,
    DsrUpdate,
    DsrClear,
}

/// Returns the row after the next task joined, or none if that task must not join.
fn grown(row: Row, column: Column) -> Option<Row> {
    use Column as C;
    use Row as R;
    match (row, column) {
        (R::WithAddition, C::Addition | C::DeletionByIds) => Some(R::WithAddition),
        (R::WithAddition, C::Clear) => Some(R::Clear),

        (R::DeletionsOnly, C::Addition) => Some(R::WithAddition),
        (R::DeletionsOnly, C::DeletionByIds | C::DeletionByFilter) => Some(R::DeletionsOnly),
        (R::DeletionsOnly, C::Clear) => Some(R::Clear),

        (R::Clear, C::DeletionByIds | C::DeletionByFilter | C::Clear) => Some(R::Clear),

        (R::Settings, C::Settings) => Some(R::Settings),
        (R::Settings, C::Clear) => Some(R::SettingsAndClear),

        (R::SettingsAndClear, C::DeletionByIds | C::DeletionByFilter | C::Clear | C::Settings) => {
            Some(R::SettingsAndClear)
        }

        (R::DsrUpdate, C::DsrUpdate) => Some(R::DsrUpdate),
        (R::DsrUpdate | R::DsrClear, C::DsrClear) => Some(R::DsrClear),
        _ => None,
    }
}

/// Plans a batch from the first candidate and as many of the following as fit; none without
/// candidates.
pub(crate) fn plan<'a>(
    candidates: impl IntoIterator<Item = Candidate<'a>>,
    index_uid: &str,
    index: &IndexState,
    limits: Limits,
) -> Option<Plan> {
    let mut candidates = candidates.into_iter();
    let first = candidates.next()?;
    let mut batch = match GrowingBatch::begin(&first, index) {
        Ok(batch) => batch,
        Err((work, stop)) => return Some(Plan { work, tasks: vec![first.uid], stop }),
    };
    for next in candidates {
        if batch.tasks.len() >= limits.tasks {
            return Some(batch.closed(Stop::TaskLimit(limits.tasks)));
        }
        if batch.payload_bytes.saturating_add(next.payload_bytes) > limits.payload_bytes {
            return Some(batch.closed(Stop::SizeLimit(limits.payload_bytes)));
        }
        if let Err(stop) = batch.accept(&next, index) {
            return Some(batch.closed(stop));
        }
        if *next.kind == TaskKind::IndexDeletion {
            return Some(batch.deleting_index(next.uid));
        }
    }
    Some(batch.closed(Stop::NoMoreTasksOfIndex(index_uid.to_owned())))
}

struct GrowingBatch {
    row: Row,
    tasks: Vec<TaskUid>,
    last_type: TaskType,
    payload_bytes: u64,
    /// Known once the batch holds a task that may or may not create its index.
    may_create_index: Option<bool>,
    /// Known once the batch holds an addition.
    primary_key: Option<Option<String>>,
}

impl GrowingBatch {
    /// Starts a batch with the first task, or returns why that task runs alone.
    fn begin(first: &Candidate<'_>, index: &IndexState) -> Result<Self, (Work, Stop)> {
        let row = match first.kind {
            TaskKind::Addition { primary_key, .. } => {
                if let Some(stop) = differs_from_index(first.uid, primary_key.as_deref(), index) {
                    return Err((Work::Documents, stop));
                }
                Row::WithAddition
            }
            TaskKind::DeletionByIds | TaskKind::DeletionByFilter => Row::DeletionsOnly,
            TaskKind::Clear => Row::Clear,
            TaskKind::Settings { .. } => Row::Settings,
            TaskKind::DsrUpdate => Row::DsrUpdate,
            TaskKind::DsrClear => Row::DsrClear,
            TaskKind::IndexDeletion => {
                return Err((Work::IndexDeletion, Stop::IndexDeleted { uid: first.uid }));
            }
            TaskKind::Alone(work) => {
                let (uid, task_type) = (first.uid, first.task_type);
                return Err((*work, Stop::CannotBeBatched { uid, task_type }));
            }
        };
        let mut batch = Self {
            row,
            tasks: Vec::new(),
            last_type: first.task_type,
            payload_bytes: 0,
            may_create_index: None,
            primary_key: None,
        };
        batch.take(first);
        Ok(batch)
    }

    fn accept(&mut self, next: &Candidate<'_>, index: &IndexState) -> Result<(), Stop> {
        if *next.kind == TaskKind::IndexDeletion
            && !matches!(self.row, Row::DsrUpdate | Row::DsrClear)
        {
            self.take(next);
            return Ok(());
        }
        let row = column_of(next.kind).and_then(|column| grown(self.row, column));
        let row = row.ok_or_else(|| self.refusal(next))?;
        self.check_index_creation(next, index)?;
        if let TaskKind::Addition { primary_key, .. } = next.kind {
            self.check_primary_key(next.uid, primary_key.as_deref(), index)?;
        }
        self.row = row;
        self.take(next);
        Ok(())
    }

    /// Stops before a task that may create the missing index when the tasks before it may not.
    fn check_index_creation(&self, next: &Candidate<'_>, index: &IndexState) -> Result<(), Stop> {
        let creates = may_create_index(next.kind) == Some(true);
        let batch_creates = self.may_create_index == Some(true);
        // Delete-all rows never reach a task that may create, except settings rows, which know.
        if index.exists || !creates || batch_creates {
            return Ok(());
        }
        Err(Stop::NextMayCreateIndex { uid: next.uid })
    }

    fn check_primary_key(
        &self,
        uid: TaskUid,
        task: Option<&str>,
        index: &IndexState,
    ) -> Result<(), Stop> {
        let Some(task) = task else { return Ok(()) };
        if index.primary_key.is_some() {
            return differs_from_index(uid, Some(task), index).map_or(Ok(()), Err);
        }
        match &self.primary_key {
            None => Ok(()),
            Some(Some(batch)) if batch == task => Ok(()),
            Some(batch) => {
                Err(Stop::PrimaryKeyOfBatch { uid, batch: batch.clone(), task: task.to_owned() })
            }
        }
    }

    fn take(&mut self, task: &Candidate<'_>) {
        self.tasks.push(task.uid);
        self.last_type = task.task_type;
        self.payload_bytes = self.payload_bytes.saturating_add(task.payload_bytes);
        self.may_create_index = self.may_create_index.or(may_create_index(task.kind));
        if let (TaskKind::Addition { primary_key, .. }, None) = (task.kind, &self.primary_key) {
            self.primary_key = Some(primary_key.clone());
        }
    }

    fn refusal(&self, next: &Candidate<'_>) -> Stop {
        match self.row {
            Row::Settings | Row::DsrUpdate => Stop::OnlySameType(self.last_type),
            _ => Stop::NextDoesNotFit { uid: next.uid, task_type: next.task_type },
        }
    }

    fn closed(self, stop: Stop) -> Plan {
        let work = match self.row {
            Row::WithAddition => Work::Documents,
            Row::DeletionsOnly => Work::DocumentDeletion,
            Row::Clear => Work::DocumentClear,
            Row::Settings => Work::Settings,
            Row::SettingsAndClear => Work::SettingsAndClear,
            Row::DsrUpdate => Work::DsrUpdate,
            Row::DsrClear => Work::DsrClear,
        };
        Plan { work, tasks: self.tasks, stop }
    }

    fn deleting_index(self, uid: TaskUid) -> Plan {
        Plan { work: Work::IndexDeletion, tasks: self.tasks, stop: Stop::IndexDeleted { uid } }
    }
}

fn differs_from_index(uid: TaskUid, task: Option<&str>, index: &IndexState) -> Option<Stop> {
    let (task, key) = (task?, index.primary_key.as_deref()?);
    (task != key).then(|| Stop::PrimaryKeyOfIndex {
        uid,
        index: key.to_owned(),
        task: task.to_owned(),
    })
}

fn may_create_index(kind: &TaskKind) -> Option<bool> {
    match kind {
        TaskKind::Addition { may_create_index, .. } | TaskKind::Settings { may_create_index } => {
            Some(*may_create_index)
        }
        _ => None,
    }
}

fn column_of(kind: &TaskKind) -> Option<Column> {
    match kind {
        TaskKind::Addition { .. } => Some(Column::Addition),
        TaskKind::DeletionByIds => Some(Column::DeletionByIds),
        TaskKind::DeletionByFilter => Some(Column::DeletionByFilter),
        TaskKind::Clear => Some(Column::Clear),
        TaskKind::Settings { .. } => Some(Column::Settings),
        TaskKind::DsrUpdate => Some(Column::DsrUpdate),
        TaskKind::DsrClear => Some(Column::DsrClear),
        TaskKind::IndexDeletion | TaskKind::Alone(_) => None,
    }
}

impl TaskKind {
    /// Returns the kind, or none for work that never waits in the lane of an index.
    pub fn of(content: &Content) -> Option<Self> {
        Some(match content {
            Content::DocumentAdditionOrUpdate { primary_key, may_create_index, .. } => {
                TaskKind::Addition {
                    primary_key: primary_key.clone(),
                    may_create_index: *may_create_index,
                }
            }
            Content::DocumentDeletion { .. } => TaskKind::DeletionByIds,
            Content::DocumentDeletionByFilter { .. } => TaskKind::DeletionByFilter,
            Content::DocumentClear { .. } => TaskKind::Clear,
            Content::SettingsUpdate { may_create_index, .. } => {
                TaskKind::Settings { may_create_index: *may_create_index }
            }
            Content::IndexDeletion { .. } => TaskKind::IndexDeletion,
            Content::DsrUpdate { .. } => TaskKind::DsrUpdate,
            Content::DsrClear => TaskKind::DsrClear,
            Content::DocumentEdition { .. } => TaskKind::Alone(Work::DocumentEdition),
            Content::IndexCreation { .. } => TaskKind::Alone(Work::IndexCreation),
            Content::IndexUpdate { .. } => TaskKind::Alone(Work::IndexUpdate),
            Content::IndexSwap { .. } => TaskKind::Alone(Work::IndexSwap),
            Content::IndexCompaction { .. } => TaskKind::Alone(Work::IndexCompaction),
            Content::TaskCancelation { .. }
            | Content::TaskDeletion { .. }
            | Content::DumpCreation { .. }
            | Content::SnapshotCreation
            | Content::Export { .. }
            | Content::UpgradeDatabase { .. }
            | Content::NetworkTopologyChange { .. } => return None,
        })
    }
}

#[cfg(test)]
#[path = "autobatch_tests.rs"]
mod tests;
