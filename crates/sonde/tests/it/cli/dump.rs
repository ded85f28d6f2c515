//! A dump that was asked for is there.

use serde_json::json;

use crate::cli::instance::Instance;

#[test]
fn a_dump_is_waited_for_and_named() {
    let instance = Instance::start();
    instance.write_and_wait("POST", "/indexes/a/documents", &json!([{"id": 1}]));
    let ran = instance.run(&["dump"]).succeeded();
    let (name, rest) = ran.out.split_once(',').expect("a name");
    assert!(rest.contains(&format!("--import-dump dumps/{name}")), "{ran:?}");
    assert!(instance.path("dumps").join(name).is_file(), "{ran:?}");
}
