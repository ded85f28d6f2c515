//! The examples of the README work as printed: every `curl` block is run by a shell against a
//! fresh server and must be answered with success, every search with a hit.

mod support;

use std::net::SocketAddr;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use support::http;
use support::process::Server;

const ADDRESS_IN_README: &str = "localhost:7700";

/// The shell blocks of the README that speak to the server, in order.
fn examples(readme: &str) -> Vec<String> {
    readme
        .split("```sh\n")
        .skip(1)
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.contains("curl"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_examples_of_the_readme_work_as_printed() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("curl is not installed: the examples were not run");
        return;
    }
    let readme = include_str!("../../../README.md");
    let examples = examples(readme);
    assert!(examples.len() >= 11, "the README lost its examples");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    let address = server.address().expect("the server starts");
    for example in examples {
        let script = example
            .replace(ADDRESS_IN_README, &address.to_string())
            .replace("curl ", "curl --silent --show-error --fail ");
        let output = Command::new("sh").arg("-ec").arg(&script).output().expect("a shell");
        assert!(
            output.status.success(),
            "this example failed:\n{example}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let printed = String::from_utf8_lossy(&output.stdout);
        let searches = example.matches("/search").count();
        let found = printed.matches("\"hits\":[{").count();
        assert_eq!(found, searches, "nothing is found:\n{example}\n{printed}");
        wait_for_tasks(address);
    }
}

/// A person types slower than tasks run; a shell does not.
fn wait_for_tasks(server: SocketAddr) {
    for _ in 0..1000 {
        let waiting = http::get(server, "/tasks?statuses=enqueued,processing").expect("an answer");
        if waiting.json()["total"] == 0 {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("the tasks of the examples do not end");
}
