//! Multipart uploads, several parts at a time. The object appears when all parts are there, or not
//! at all: a failed or stopped upload is aborted, so that its parts cost nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use model::Cancel;
use outbound::{Answer, Call, Client, Method};
use parking_lot::Mutex;
use rusty_s3::actions::{
    AbortMultipartUpload, CompleteMultipartUpload, CreateMultipartUpload, UploadPart,
};
use rusty_s3::{Credentials, S3Action, UrlStyle};

use crate::answer::{check, element, message_of, text_of};
use crate::credentials::Keyring;
use crate::error::BucketError;
use crate::options::BucketOptions;
use crate::retry::retried;

/// Limit of the S3 interface.
const MOST_PARTS: u64 = 10_000;
/// Timeout of requests without a part.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Lowest accepted transfer rate.
const LEAST_BYTES_PER_SECOND: u64 = 64 << 10;

/// Gets the number of parts that have arrived, and of all parts.
pub type OnProgress<'p> = &'p (dyn Fn(usize, usize) + Sync);

#[derive(Debug)]
pub struct Bucket {
    bucket: rusty_s3::Bucket,
    keyring: Keyring,
    client: Client,
    signature_duration: Duration,
    part_bytes: u64,
    parallel_parts: usize,
    retry_pause: Duration,
}

impl Bucket {
    /// Creates a bucket; checks the options without sending anything.
    pub fn new(options: BucketOptions, client: Client) -> Result<Self, BucketError> {
        let bad = |what: String| BucketError::Parameters(what);
        let url = url::Url::parse(&options.url)
            .map_err(|error| bad(format!("the URL of the bucket cannot be read: {error}")))?;
        let (region, retry_pause) = (options.region.clone(), options.retry_pause);
        let bucket = rusty_s3::Bucket::new(url, UrlStyle::Path, options.name, options.region)
            .map_err(|error| bad(format!("the bucket cannot be used: {error}")))?;
        Ok(Self {
            bucket,
            keyring: Keyring::new(options.access, region, retry_pause, client.clone()),
            client,
            signature_duration: options.signature_duration,
            part_bytes: options.part_bytes.max(1),
            parallel_parts: options.parallel_parts.max(1),
            retry_pause,
        })
    }

    /// Uploads `content`, replacing an object of the same name; returns once it is there.
    pub fn upload(
        &self,
        object: &str,
        content: &Bytes,
        cancel: &Cancel,
        on_progress: OnProgress<'_>,
    ) -> Result<(), BucketError> {
        let parts = (content.len() as u64).div_ceil(self.part_bytes).max(1);
        if parts > MOST_PARTS {
            return Err(BucketError::Parameters(format!(
                "the object has {} bytes, which makes {parts} parts, and {MOST_PARTS} are allowed; \
                 choose larger parts",
                content.len()
            )));
        }
        let upload_id = self.begin(object, cancel)?;
        let upload = Upload { bucket: self, object, upload_id: &upload_id, cancel };
        let sent = upload.send_parts(content, parts as usize, on_progress);
        let ended = sent.and_then(|etags| upload.complete(&etags));
        if ended.is_err() {
            upload.abort();
        }
        ended
    }

    fn begin(&self, object: &str, cancel: &Cancel) -> Result<String, BucketError> {
        let answer = self.call(Method::Post, Bytes::new(), cancel, &|credentials| {
            let action = CreateMultipartUpload::new(&self.bucket, Some(credentials), object);
            action.sign(self.signature_duration)
        })?;
        let text = text_of(&answer);
        // Not all servers send the namespace that the library requires.
        element(&text, "UploadId").ok_or_else(|| BucketError::Unreadable(message_of(&text)))
    }

    /// Signs and sends a request, with retries.
    fn call(
        &self,
        method: Method,
        body: Bytes,
        cancel: &Cancel,
        sign: &dyn Fn(&Credentials) -> url::Url,
    ) -> Result<Answer, BucketError> {
        retried(self.retry_pause, cancel, &|| {
            let credentials = self.keyring.credentials(cancel)?;
            let slowest = Duration::from_secs(body.len() as u64 / LEAST_BYTES_PER_SECOND);
            let url = String::from(sign(&credentials));
            let call = Call::new(method, url, body.clone(), TIMEOUT + slowest);
            let sent = self.client.send_blocking(call, cancel);
            let answer = sent.map_err(BucketError::of_call)?;
            check(&answer)?;
            Ok(answer)
        })
    }
}

/// An upload in progress.
struct Upload<'a> {
    bucket: &'a Bucket,
    object: &'a str,
    upload_id: &'a str,
    cancel: &'a Cancel,
}

impl Upload<'_> {
    /// Sends the parts and returns their ETags, in order.
    fn send_parts(
        &self,
        content: &Bytes,
        parts: usize,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<String>, BucketError> {
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let failed: Mutex<Option<BucketError>> = Mutex::default();
        let etags: Mutex<Vec<String>> = Mutex::new(vec![String::new(); parts]);
        let cancel = self.cancel.child();
        thread::scope(|scope| {
            for _ in 0..self.bucket.parallel_parts.min(parts) {
                scope.spawn(|| {
                    while !cancel.is_cancelled() {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        if place >= parts {
                            return;
                        }
                        match self.send_part(content, place, &cancel) {
                            Ok(etag) => etags.lock()[place] = etag,
                            Err(error) => {
                                // The first failure stops the others, which then fail too.
                                failed.lock().get_or_insert(error);
                                cancel.cancel();
                                return;
                            }
                        }
                        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                        on_progress(done, parts);
                    }
                });
            }
        });
        match failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.cancel.check().map(|()| etags.into_inner())?),
        }
    }

    fn send_part(
        &self,
        content: &Bytes,
        place: usize,
        cancel: &Cancel,
    ) -> Result<String, BucketError> {
        let length = self.bucket.part_bytes as usize;
        let start = place * length;
        let part = content.slice(start..content.len().min(start.saturating_add(length)));
        // There are at most `MOST_PARTS`.
        let number = place as u16 + 1;
        let answer = self.bucket.call(Method::Put, part, cancel, &|credentials| {
            let action = UploadPart::new(
                &self.bucket.bucket,
                Some(credentials),
                self.object,
                number,
                self.upload_id,
            );
            action.sign(self.bucket.signature_duration)
        })?;
        answer.etag.ok_or_else(|| BucketError::Unreadable(format!("part {number} has no ETag")))
    }

    fn complete(&self, etags: &[String]) -> Result<(), BucketError> {
        let body = Bytes::from(self.completion(None, etags).body());
        let answer = self.bucket.call(Method::Post, body, self.cancel, &|credentials| {
            self.completion(Some(credentials), etags).sign(self.bucket.signature_duration)
        })?;
        // The status is sent before the server knows the outcome.
        let text = text_of(&answer);
        if text.contains("<CompleteMultipartUploadResult") {
            return Ok(());
        }
        Err(BucketError::Failed { status: 200, message: message_of(&text) })
    }

    fn completion<'a>(
        &'a self,
        credentials: Option<&'a Credentials>,
        etags: &'a [String],
    ) -> CompleteMultipartUpload<'a, impl Iterator<Item = &'a str>> {
        CompleteMultipartUpload::new(
            &self.bucket.bucket,
            credentials,
            self.object,
            self.upload_id,
            etags.iter().map(String::as_str),
        )
    }

    /// Aborts the upload, even a stopped one; on failure the bucket's own rules remove the parts.
    fn abort(&self) {
        let _ =
            self.bucket.call(Method::Delete, Bytes::new(), &Cancel::default(), &|credentials| {
                let action = AbortMultipartUpload::new(
                    &self.bucket.bucket,
                    Some(credentials),
                    self.object,
                    self.upload_id,
                );
                action.sign(self.bucket.signature_duration)
            });
    }
}
