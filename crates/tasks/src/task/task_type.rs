//! The types and statuses of tasks: their wire names, their order, and how names are read.
//!
//! One table defines a type; the codes stored on disk are the positions in it, so lines are only
//! ever added at the end of what the contract lists.

use model::{Code, ServiceError};
use serde::{Deserialize, Serialize};

macro_rules! names {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $code:literal, $name:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $enum {
            $(#[serde(rename = $name)] $variant = $code),*
        }

        impl $enum {
            /// All variants, in the order of the contract.
            pub const ALL: &'static [$enum] = &[$($enum::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $($enum::$variant => $name),* }
            }

            pub(crate) fn code(self) -> u8 {
                self as u8
            }

            pub(crate) fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some($enum::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

names! {
    /// The type of a task.
    TaskType {
        DocumentAdditionOrUpdate = 0, "documentAdditionOrUpdate";
        DocumentEdition = 1, "documentEdition";
        DocumentDeletion = 2, "documentDeletion";
        SettingsUpdate = 3, "settingsUpdate";
        IndexCreation = 4, "indexCreation";
        IndexDeletion = 5, "indexDeletion";
        IndexUpdate = 6, "indexUpdate";
        IndexSwap = 7, "indexSwap";
        TaskCancelation = 8, "taskCancelation";
        TaskDeletion = 9, "taskDeletion";
        DumpCreation = 10, "dumpCreation";
        SnapshotCreation = 11, "snapshotCreation";
        Export = 12, "export";
        UpgradeDatabase = 13, "upgradeDatabase";
        IndexCompaction = 14, "indexCompaction";
        NetworkTopologyChange = 15, "networkTopologyChange";
        DsrUpdate = 16, "dsrUpdate";
        DsrClear = 17, "dsrClear";
    }
}

names! {
    /// The status of a task. `Processing` is never stored.
    Status {
        Enqueued = 0, "enqueued";
        Processing = 1, "processing";
        Succeeded = 2, "succeeded";
        Failed = 3, "failed";
        Canceled = 4, "canceled";
    }
}

impl TaskType {
    /// Returns whether the type concerns exactly one index; other tasks are hidden from callers
    /// that filter by index or may see only some.
    pub fn concerns_one_index(self) -> bool {
        !matches!(
            self,
            TaskType::IndexSwap
                | TaskType::TaskCancelation
                | TaskType::TaskDeletion
                | TaskType::DumpCreation
                | TaskType::SnapshotCreation
                | TaskType::Export
                | TaskType::UpgradeDatabase
                | TaskType::NetworkTopologyChange
        )
    }

    /// Reads a name in any letter case. The error completes «Invalid value in parameter `types`: ».
    pub fn parse(name: &str) -> Result<Self, ServiceError> {
        find(Self::ALL, Self::name, name).ok_or_else(|| {
            let known = quoted(Self::ALL, Self::name);
            ServiceError::new(
                Code::InvalidTaskTypes,
                format!("`{name}` is not a valid task type. Available types are {known}."),
            )
        })
    }
}

impl Status {
    pub fn is_finished(self) -> bool {
        matches!(self, Status::Succeeded | Status::Failed | Status::Canceled)
    }

    /// Reads a name in any letter case. The error completes «Invalid value in parameter `statuses`:
    /// ».
    pub fn parse(name: &str) -> Result<Self, ServiceError> {
        find(Self::ALL, Self::name, name).ok_or_else(|| {
            let known = quoted(Self::ALL, Self::name);
            ServiceError::new(
                Code::InvalidTaskStatuses,
                format!("`{name}` is not a valid task status. Available statuses are {known}."),
            )
        })
    }
}

fn find<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, name: &str) -> Option<T> {
    all.iter().copied().find(|&value| name_of(value).eq_ignore_ascii_case(name))
}

fn quoted<T: Copy>(all: &[T], name_of: fn(T) -> &'static str) -> String {
    let names: Vec<String> = all.iter().map(|&value| format!("`{}`", name_of(value))).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_letter_case() {
        assert_eq!(TaskType::parse("DUMPcreation").unwrap(), TaskType::DumpCreation);
        assert_eq!(Status::parse("Succeeded").unwrap(), Status::Succeeded);
    }

    #[test]
    fn an_unknown_name_lists_what_is_known() {
        assert_eq!(
            Status::parse("x").unwrap_err(),
            ServiceError::new(
                Code::InvalidTaskStatuses,
                "`x` is not a valid task status. Available statuses are `enqueued`, `processing`, \
                 `succeeded`, `failed`, `canceled`."
            )
        );
        let message = TaskType::parse("nope").unwrap_err().message;
        assert!(message.starts_with("`nope` is not a valid task type. Available types are `documentAdditionOrUpdate`, `documentEdition`, "), "{message}");
        assert!(
            message.ends_with("`networkTopologyChange`, `dsrUpdate`, `dsrClear`."),
            "{message}"
        );
    }

    #[test]
    fn stored_codes_are_read_back() {
        for &kind in TaskType::ALL {
            assert_eq!(TaskType::from_code(kind.code()), Some(kind));
        }
        for &status in Status::ALL {
            assert_eq!(Status::from_code(status.code()), Some(status));
        }
        assert_eq!(TaskType::from_code(200), None);
    }
}
