//! Error of an import of a dump.

use dump::DumpError;
use model::ServiceError;
use tasks::QueueError;

/// The reason a dump cannot be imported, without the name of the file.
#[derive(Debug)]
pub(super) struct ImportError(pub String);

impl From<DumpError> for ImportError {
    fn from(error: DumpError) -> Self {
        ImportError(match error {
            DumpError::Io { source, .. } => format!("it cannot be read: {source}"),
            DumpError::Damaged { what, .. } => format!("it is damaged or no dump: {what}"),
            DumpError::Entry { entry, what, .. } => format!("its entry `{entry}` {what}"),
            DumpError::Refused { what, .. } => what,
        })
    }
}

impl From<ServiceError> for ImportError {
    fn from(error: ServiceError) -> Self {
        ImportError(error.message)
    }
}

impl From<QueueError> for ImportError {
    fn from(error: QueueError) -> Self {
        ImportError(error.to_string())
    }
}
