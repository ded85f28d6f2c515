//! An import that is interrupted goes on where it ended: nothing is lost, little is sent twice.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::cli::instance::{CommandOutput, Instance};

const DOCUMENTS: u64 = 30_000;
const BATCH: u64 = 100;
const BATCH_TEXT: &str = "100";

/// Ends the import when the server has taken some batches, and gives what it said. `None` where it
/// came to its end before: it may find more time than this thread.
fn interrupt(instance: &Instance, arguments: &[&str], signal: &str) -> Option<CommandOutput> {
    let mut command = instance.command(arguments);
    let mut child: Child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let tasks = || instance.get("/tasks?limit=1")["total"].as_u64().expect("a number");
    let before = tasks();
    while tasks() < before + 5 && child.try_wait().expect("its state").is_none() {
        sleep(Duration::from_millis(1));
    }
    let sent = std::process::Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status();
    let was_there = sent.expect("kill can be run").success();
    let ran = CommandOutput::of(child.wait_with_output().expect("it ends"));
    assert!(was_there || ran.code == 0, "{ran:?}");
    (ran.code != 0).then_some(ran)
}

/// Starts an import again and again until it is interrupted; also returns its index.
fn interrupted(
    instance: &Instance,
    file: &str,
    name: &str,
    signal: &str,
) -> (String, CommandOutput) {
    let attempts = (0..20).map(|attempt| format!("{name}-{attempt}"));
    let mut ended = attempts
        .filter_map(|index| Some((interrupt(instance, &import(file, &index), signal)?, index)));
    let (ran, index) = ended.next().expect("an import that is interrupted");
    (index, ran)
}

fn import<'a>(file: &'a str, index: &'a str) -> [&'a str; 6] {
    ["import", file, "--index", index, "--batch-documents", BATCH_TEXT]
}

/// Documents that the server was sent for an index, in all requests.
fn received(instance: &Instance, index: &str) -> u64 {
    let tasks = instance.get(&format!("/tasks?indexUids={index}&limit=100000"));
    let tasks: &Vec<Value> = tasks["results"].as_array().expect("tasks");
    tasks.iter().filter_map(|task| task["details"]["receivedDocuments"].as_u64()).sum()
}

#[test]
fn an_interrupted_import_goes_on_where_it_ended() {
    let instance = Instance::start();
    let lines: Vec<String> =
        (0..DOCUMENTS).map(|id| format!("{{\"id\":{id},\"text\":\"number {id}\"}}")).collect();
    instance.write("a.ndjson", lines.join("\n"));
    instance.write("b.json", format!("[\n{}\n]", lines.join(",\n")));
    let csv: String = (0..DOCUMENTS).map(|id| format!("{id},number {id}\r\n")).collect();
    instance.write("c.csv", format!("id,text\r\n{csv}"));
    for (file, name, signal) in
        [("a.ndjson", "a", "KILL"), ("b.json", "b", "INT"), ("c.csv", "c", "TERM")]
    {
        let (index, ended) = interrupted(&instance, file, name, signal);
        let index = index.as_str();
        let told = format!("{file}: the server has accepted ");
        match signal {
            "INT" => assert!(ended.code == 130 && ended.err.contains(&told), "{ended:?}"),
            "TERM" => assert!(ended.code == 143 && ended.err.contains(&told), "{ended:?}"),
            _ => assert_eq!(ended.code, -1, "{ended:?}"),
        }
        let before = received(&instance, index);
        assert!((5 * BATCH..DOCUMENTS).contains(&before), "{before}");

        let ran = instance.run(&import(file, index)).succeeded();
        assert!(ran.err.contains(&format!("{file}: resuming at line ")), "{ran:?}");
        assert!(ran.out.starts_with("30,000 documents in "), "{ran:?}");
        assert_eq!(instance.count(index), DOCUMENTS);
        let again = received(&instance, index) - DOCUMENTS;
        assert!(again <= BATCH, "{again} documents were sent twice");
        let last = instance.get(&format!("/indexes/{index}/documents/{}", DOCUMENTS - 1));
        assert_eq!(last["text"], format!("number {}", DOCUMENTS - 1));

        // It came to its end, so the next one begins anew.
        if signal == "KILL" {
            let ran = instance.run(&import(file, index)).succeeded();
            assert!(!ran.err.contains("resuming"), "{ran:?}");
            assert_eq!(instance.count(index), DOCUMENTS);
        }
    }
}

#[test]
fn restart_begins_again_and_another_file_is_another_import() {
    let instance = Instance::start();
    let lines: String = (0..DOCUMENTS).map(|id| format!("{{\"id\":{id}}}\n")).collect();
    instance.write("a.ndjson", &lines);
    let (index, _) = interrupted(&instance, "a.ndjson", "restarted", "INT");
    let restart = [&import("a.ndjson", &index)[..], &["--restart"]].concat();
    let restarted = instance.run(&restart).succeeded();
    assert!(!restarted.err.contains("resuming"), "{restarted:?}");
    let (index, _) = interrupted(&instance, "a.ndjson", "changed", "INT");
    instance.write("a.ndjson", format!("{lines}{{\"id\":{DOCUMENTS}}}\n"));
    let changed = instance.run(&import("a.ndjson", &index)).succeeded();
    assert!(!changed.err.contains("resuming"), "{changed:?}");
    assert_eq!(instance.count(&index), DOCUMENTS + 1);
}
