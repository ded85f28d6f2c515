//! Completions, manual pages and documentation follow from the definition of the command line.

use std::path::Path;

use sonde::options::command_line::command;

use crate::cli::instance::{CommandOutput, client};
use crate::support::process::run_command;

fn run(arguments: &[&str]) -> CommandOutput {
    CommandOutput::of(run_command(client(Path::new(".")).args(arguments)))
}

#[test]
fn shells_can_complete_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(&["completions", shell]).succeeded();
        for word in ["import", "migrate", "skip-errors", "http-addr"] {
            assert!(ran.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(&["completions", "none"]).code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let page = run(&["man"]).succeeded().out;
    assert!(page.contains(".TH sonde 1") && page.contains("\\-\\-db\\-path"), "{page}");
    let synopsis = page.split(".SH").find(|section| section.starts_with(" SYNOPSIS")).unwrap();
    assert!(synopsis.contains("[OPTIONS]") && !synopsis.contains("path"), "{synopsis}");
    for name in command().get_subcommands().map(clap::Command::get_name) {
        let page = run(&["man", name]).succeeded().out;
        assert!(
            page.contains(&format!(".TH sonde\\-{name} 1"))
                || page.contains(&format!(".TH sonde-{name} 1")),
            "{page}"
        );
    }
    assert_eq!(run(&["man", "none"]).code, 1);
}

#[test]
fn a_package_has_all_pages_and_completions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/install-manual");
    let installed = std::process::Command::new("sh")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_sonde"))
        .arg(folder.path())
        .status();
    assert!(installed.expect("a shell").success());
    let share = folder.path().join("share");
    let pages = command().get_subcommands().count() + 1;
    assert_eq!(share.join("man/man1").read_dir().expect("the pages").count(), pages);
    for file in [
        "bash-completion/completions/sonde",
        "zsh/site-functions/_sonde",
        "fish/vendor_completions.d/sonde.fish",
    ] {
        assert!(share.join(file).metadata().expect(file).len() > 1000, "{file}");
    }
}

#[test]
fn every_command_and_option_stands_in_the_documentation() {
    let page = include_str!("../../../../../docs/command-line.md");
    for command in command().get_subcommands() {
        let name = command.get_name();
        let (_, section) = page
            .split_once(&format!("\n## sonde {name}\n"))
            .unwrap_or_else(|| panic!("no section for {name}"));
        let section = section.split("\n## ").next().unwrap_or_default();
        for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
            let shared = matches!(option, "help" | "version" | "url" | "key");
            assert!(shared || section.contains(&format!("`--{option}")), "{name}: --{option}");
        }
    }
}
