//! Stores the snapshot as an object in a bucket. It is written to a file first: parts are uploaded
//! in parallel and retried, and this way none has to stay in memory.

use bucket::{Bucket, BucketError};
use bytes::Bytes;
use model::{Cancel, Code, ServiceError};
use outbound::Client;
use segment::{Directory, DiskDirectory};
use tasks::{Progress, RunError};

use super::options::ObjectStorage;
use super::staging::Staging;
use super::{pack, unless_stopped};
use crate::common::failure::index_failure;

pub(super) fn deliver(
    staging: &Staging,
    storage: &ObjectStorage,
    name: &str,
    client: &Client,
    progress: &Progress,
    cancel: &Cancel,
) -> Result<(), RunError> {
    let bucket = Bucket::new(storage.bucket.clone(), client.clone()).map_err(|e| failure(&e))?;
    let path = staging.root().join(Staging::archive_name());
    let file = pack::create(&path)?;
    drop(pack::pack(staging, file, storage.compression_level, progress, cancel)?);
    let mapped = DiskDirectory::existing(staging.root())
        .and_then(|folder| folder.open(Staging::archive_name()))
        .map_err(index_failure)?;
    let step = progress.enter("sending the snapshot", 1);
    let object = object(&storage.prefix, name);
    let sent = bucket.upload(&object, &Bytes::from_owner(mapped), cancel, &|parts, of| {
        step.set_total(of as u32);
        step.set(parts as u32);
    });
    sent.map_err(|error| unless_stopped(cancel, failure(&error)))
}

fn object(prefix: &str, name: &str) -> String {
    match prefix.is_empty() || prefix.ends_with('/') {
        true => format!("{prefix}{name}"),
        false => format!("{prefix}/{name}"),
    }
}

fn failure(error: &BucketError) -> ServiceError {
    let code = match error {
        BucketError::Parameters(_) => Code::InvalidS3SnapshotParameters,
        BucketError::Refused { .. } => Code::InvalidS3SnapshotRequest,
        BucketError::Failed { .. }
        | BucketError::Unreadable(_)
        | BucketError::Unreachable(_)
        | BucketError::Stopped => Code::S3SnapshotServerError,
    };
    ServiceError::new(code, format!("The snapshot could not be sent: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_folder_unless_it_ends_as_one() {
        assert_eq!(object("", "a.snapshot"), "a.snapshot");
        assert_eq!(object("daily", "a.snapshot"), "daily/a.snapshot");
        assert_eq!(object("daily/", "a.snapshot"), "daily/a.snapshot");
    }

    #[test]
    fn whose_fault_it_is_decides_the_code() {
        let code = |error: BucketError| failure(&error).code.name().to_owned();
        let message = String::new;
        assert_eq!(code(BucketError::Parameters(message())), "invalid_s_3_snapshot_parameters");
        let refused = BucketError::Refused { status: 403, message: message() };
        assert_eq!(code(refused), "invalid_s_3_snapshot_request");
        let failed = BucketError::Failed { status: 503, message: message() };
        assert_eq!(code(failed), "s_3_snapshot_server_error");
    }
}
