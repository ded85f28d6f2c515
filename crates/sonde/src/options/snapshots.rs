//! Options for the destination and schedule of snapshots, and the one to start from.

use std::time::Duration;

use engine::snapshots::{ObjectStorage, SnapshotOptions};
use engine::{BucketAccess, BucketOptions, Import};
use model::Secret;

use super::config::OptionReader;
use super::error::{OptionError, OptionOrigin};
use super::option::{Group, LaunchOption};
use super::table::{self, TABLE};

/// Options that object storage requires.
const NEEDED: [&LaunchOption; 4] = [
    &table::S3_BUCKET_URL,
    &table::S3_BUCKET_REGION,
    &table::S3_BUCKET_NAME,
    &table::S3_SNAPSHOT_PREFIX,
];

/// Standard variable with the URL of the service that issues keys for a role.
const TOKEN_SERVICE: &str = "AWS_ENDPOINT_URL_STS";

impl OptionReader<'_> {
    pub(super) fn snapshots(&self) -> Result<SnapshotOptions, OptionError> {
        Ok(SnapshotOptions {
            folder: self.path(&table::SNAPSHOT_DIR)?,
            period: self.number_if_given(&table::SCHEDULE_SNAPSHOT)?.map(Duration::from_secs),
            file_mode: match self.word(&table::SNAPSHOT_FILE_MODE)? {
                "0444" => 0o444,
                "0440" => 0o440,
                _ => SnapshotOptions::FILE_MODE,
            },
            storage: self.object_storage()?,
        })
    }

    pub(super) fn import_snapshot(&self) -> Result<Option<Import>, OptionError> {
        let ignore_missing = self.flag(&table::IGNORE_MISSING_SNAPSHOT)?;
        let ignore_if_db_exists = self.flag(&table::IGNORE_SNAPSHOT_IF_DB_EXISTS)?;
        let file = self.path_if_given(&table::IMPORT_SNAPSHOT)?;
        Ok(file.map(|file| Import { file, ignore_missing, ignore_if_db_exists }))
    }

    fn object_storage(&self) -> Result<Option<ObjectStorage>, OptionError> {
        let (part_bytes, parallel_parts, signature_duration, compression_level) = (
            self.bytes(&table::EXPERIMENTAL_S3_MULTIPART_PART_SIZE)?,
            self.count(&table::EXPERIMENTAL_S3_MAX_IN_FLIGHT_PARTS)?,
            self.number(&table::EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS)?,
            self.number(&table::EXPERIMENTAL_S3_COMPRESSION_LEVEL)?,
        );
        let is_given = |option: &&&'static LaunchOption| {
            option.group == Group::ObjectStorage && self.raw.get(option).is_some()
        };
        // Any of them means that snapshots should leave the machine; an incomplete set must not
        // silently keep them here.
        let Some(&given) = TABLE.iter().find(is_given) else { return Ok(None) };
        let [url, region, name, prefix] = NEEDED.map(|option| self.needed_by(given, option));
        let access = self.access(given)?;
        let bucket = BucketOptions {
            url: url?,
            region: region?,
            name: name?,
            access,
            signature_duration: Duration::from_secs(signature_duration),
            part_bytes,
            parallel_parts,
            retry_pause: BucketOptions::RETRY_PAUSE,
        };
        let compression_level = u32::try_from(compression_level).unwrap_or(9);
        Ok(Some(ObjectStorage { bucket, prefix: prefix?, compression_level }))
    }

    fn access(&self, given: &'static LaunchOption) -> Result<BucketAccess, OptionError> {
        if let Some(role_arn) = self.text(&table::EXPERIMENTAL_S3_ROLE_ARN)? {
            let token_file = &table::EXPERIMENTAL_S3_WEB_IDENTITY_TOKEN_FILE;
            return Ok(BucketAccess::WebIdentity {
                role_arn,
                token_file: self
                    .path_if_given(token_file)?
                    .ok_or_else(|| self.missing(given, token_file))?,
                service_url: std::env::var(TOKEN_SERVICE).ok(),
            });
        }
        Ok(BucketAccess::Keys {
            access_key: self.needed_by(given, &table::S3_ACCESS_KEY)?,
            secret_key: Secret::new(self.needed_by(given, &table::S3_SECRET_KEY)?),
        })
    }

    fn needed_by(
        &self,
        given: &'static LaunchOption,
        needed: &'static LaunchOption,
    ) -> Result<String, OptionError> {
        self.text(needed)?.ok_or_else(|| self.missing(given, needed))
    }

    fn missing(&self, given: &'static LaunchOption, needed: &LaunchOption) -> OptionError {
        match self.raw.get(given) {
            Some(value) => OptionError::MissingCompanion {
                given: OptionOrigin::new(given, &value.source),
                needed: needed.name,
            },
            None => unreachable!("{} was given", given.name),
        }
    }
}
