//! The examples of the README and of the documentation work as printed: every shell block is run,
//! page by page, beside a fresh server, and answers that a page shows are the answers that come.
//! What cannot be run stands in `account.rs` with its reason; `--nocapture` prints them.
//!
//! A page says in comments, which readers do not see, what its examples need:
//!
//! - `<!-- server: --master-key … -->`: options of the server;
//! - `<!-- before: … -->`: commands that are run first;
//! - `<!-- meanwhile: … -->`: commands that are run at this place;
//! - `<!-- stopped -->`: the server is stopped here;
//! - a block that begins with ` ```sh expects=404 ` must be answered with that status by its last
//!   command; one with `needs=PROGRAM` is run where that program is;
//! - ` ```json sends=PATCH:/network ` is the body of that request, and is sent; one with
//!   `configures=assistant` is given to one.
//!
//! A ` ```json ` block right behind an example is its answer: what it shows must be there. Times,
//! uids and whatever stands as `…` differ from run to run. The same with a ` ```text ` block. No
//! task may have failed at the end of a page.
//!
//! `shell.rs` says which names on pages stand for which server, and `stand-ins/` has programs that
//! take the place of those that readers have.

mod account;
mod answers;
mod coverage;
mod figures;
mod model;
mod page;
mod shell;

use std::path::{Path, PathBuf};
use std::process::Command;

use page::{Answer, Example, Kind, Page, Step};
use shell::{CommandOutput, Shell};
use testkit::skip;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and every page of the documentation.
fn pages() -> Vec<Page> {
    let mut paths = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder of the documentation") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| Page::read(&root(), path)).collect()
}

/// Runs the examples of a page in their order; gives how many there were.
fn run(page: &Page) -> usize {
    let wanted = |step: &&Step| account::reason(page, step).is_none();
    let is_example = |step: &Step| matches!(step.kind, Kind::Example(_));
    if !page.steps.iter().filter(wanted).any(is_example) {
        return 0;
    }
    let mut shell = Shell::start(page);
    for commands in &page.before {
        let ran = shell.run(commands);
        assert!(ran.is_good(None), "{}: before the examples\n{commands}\n{ran}", page.name);
    }
    let mut count = 0;
    for step in page.steps.iter().filter(wanted) {
        let place = format!("{}:{}\n{}", page.name, step.line, step.text);
        match &step.kind {
            Kind::Example(example) if is_missing(example) => eprintln!("not run: {place}"),
            Kind::Example(example) => {
                check(&place, example, &shell.run(&example.commands));
                count += 1;
            }
            Kind::Meanwhile => {
                let ran = shell.run(&step.text);
                assert!(ran.is_good(None), "{place}\n{ran}");
                assert!(!has_found_nothing(&ran), "{place}\nnothing is found\n{ran}");
            }
            Kind::Stopped => {
                check_tasks(page, &shell);
                shell.stop();
            }
            Kind::Form => {}
        }
    }
    check_tasks(page, &shell);
    count
}

fn check_tasks(page: &Page, shell: &Shell) {
    let failed = shell.failed_tasks();
    assert!(failed.is_empty(), "{}: {failed:#?}", page.name);
}

/// Whether a program is needed that is not here.
fn is_missing(example: &Example) -> bool {
    let Some(program) = &example.needs else { return false };
    let is_missing = Command::new(program).arg("--version").output().is_err();
    if is_missing {
        skip(format!("{program} is not installed"));
    }
    is_missing
}

fn check(place: &str, example: &Example, ran: &CommandOutput) {
    assert!(ran.is_good(example.expects), "{place}\n{ran}");
    assert!(!has_found_nothing(ran), "{place}\nnothing is found\n{ran}");
    let faults = match &example.answer {
        Some(Answer::Json(shown)) => answers::compare(shown, &ran.printed),
        Some(Answer::Text(shown)) => answers::compare_text(shown, &ran.printed),
        None => Vec::new(),
    };
    assert!(faults.is_empty(), "{place}\n{faults:#?}\nin {ran}");
}

fn has_found_nothing(ran: &CommandOutput) -> bool {
    ran.printed.contains("\"hits\":[]") || ran.printed.starts_with("0 hits")
}

#[test]
fn the_examples_work_as_printed() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skip("curl is not installed");
    }
    let mut pages = pages();
    // The one that takes longest is begun first.
    pages.sort_by_key(|page| page.name != "README.md");
    let only = std::env::var("DOCS_PAGE").ok();
    let wanted: Vec<&Page> = pages
        .iter()
        .filter(|page| only.as_ref().is_none_or(|only| page.name.contains(only.as_str())))
        .collect();
    // Each page has a server of its own, so they can go side by side.
    let next = std::sync::atomic::AtomicUsize::new(0);
    let take = || wanted.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let work = || {
        let mut count = 0;
        while let Some(page) = take() {
            count += run(page);
        }
        count
    };
    let count: usize = std::thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        let joined = others.into_iter().map(|thread| match thread.join() {
            Ok(count) => count,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.sum()
    });
    eprintln!("{count} examples were run");
    assert!(only.is_some() || count > 150, "only {count} examples are left");
}

#[test]
fn skipped_blocks_have_a_reason() {
    let pages = pages();
    let mistakes = account::mistakes(&pages);
    assert!(mistakes.is_empty(), "{mistakes:#?}");
    for line in account::told(&pages) {
        eprintln!("{line}");
    }
}

#[test]
fn every_route_has_an_example() {
    let missing = coverage::missing(&pages());
    assert!(missing.is_empty(), "no example calls {missing:#?}");
}

#[test]
fn the_figures_of_tuning_are_those_of_the_last_benchmark() {
    let (current, page) = figures::of_tuning(&root());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("docs/tuning.md"), &current).expect("the page is written");
        return;
    }
    assert!(
        current == page,
        "docs/tuning.md is not current; to renew it: UPDATE_DOCS=1 cargo test -p sonde --test it docs::the_figures"
    );
}

#[test]
fn codes_that_never_come_are_marked_as_kept_for_clients() {
    let page = std::fs::read_to_string(root().join("docs/errors.md")).expect("a page");
    for line in include_str!("../catalogue/codes.txt").lines().filter(|line| !line.starts_with('#'))
    {
        let (code, comes) = line.split_once(": ").expect("a code and where it comes");
        let row = page.lines().find(|row| row.starts_with(&format!("| `{code}` |")));
        let is_kept = row.expect(code).to_lowercase().contains("kept for clients");
        assert_eq!(is_kept, comes.starts_with("never"), "{code}");
    }
}
