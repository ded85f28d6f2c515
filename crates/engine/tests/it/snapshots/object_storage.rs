//! Failures of object storage, with the codes that say whose fault they are. What succeeds is
//! tested with a storage that checks signatures, in the crate `bucket`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use engine::snapshots::ObjectStorage;
use engine::{BucketAccess, BucketOptions, EngineOptions};
use model::Secret;
use tasks::{Content, Status};

use crate::snapshots::snapshot_of;
use crate::support::Instance;

pub fn bucket_at(url: &str) -> BucketOptions {
    BucketOptions {
        url: url.to_owned(),
        region: "eu-test-1".to_owned(),
        name: "backups".to_owned(),
        access: BucketAccess::Keys {
            access_key: "key".to_owned(),
            secret_key: Secret::new("secret"),
        },
        signature_duration: Duration::from_secs(60),
        part_bytes: 10 << 20,
        parallel_parts: 2,
        retry_pause: Duration::from_millis(1),
    }
}

/// Answers every request with this status.
fn always(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

#[test]
fn the_code_says_whose_fault_it_is() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cases = [
        (always("403 Forbidden"), "invalid_s_3_snapshot_request"),
        (always("404 Not Found"), "invalid_s_3_snapshot_request"),
        (always("500 Internal Server Error"), "s_3_snapshot_server_error"),
        (always("200 OK"), "s_3_snapshot_server_error"),
        (format!("http://{nobody}"), "s_3_snapshot_server_error"),
        ("nonsense".to_owned(), "invalid_s_3_snapshot_parameters"),
        ("ftp://localhost".to_owned(), "invalid_s_3_snapshot_parameters"),
    ];
    let mut instance = Instance::new();
    for (url, code) in cases {
        instance.stop();
        let mut options = EngineOptions::new(instance.path());
        options.address_policy = "any".parse().unwrap();
        options.snapshots.storage = Some(ObjectStorage {
            bucket: bucket_at(&url),
            prefix: "daily".to_owned(),
            compression_level: 6,
        });
        instance.start_with(options);
        let task = instance.wait(&instance.enqueue(Content::SnapshotCreation));
        assert_eq!(task.status, Status::Failed);
        let error = task.error.expect("a reason");
        assert_eq!(error.code.name(), code, "{url}: {}", error.message);
        assert!(error.message.starts_with("The snapshot could not be sent: "), "{}", error.message);
        assert!(!error.message.contains("secret"), "{}", error.message);
        assert!(!snapshot_of(&instance).exists(), "it goes to the storage instead");
        assert!(!instance.path().join("snapshot-staging").exists());
    }
}
