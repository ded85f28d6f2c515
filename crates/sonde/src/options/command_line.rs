//! The command line, built from the table. clap parses it, prints help and reports misspelt,
//! repeated or incomplete options; `config` interprets the values.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::error::OptionError;
use super::option::{Availability, Fallback, LaunchOption};
use super::raw::{RawOptions, Source};
use super::table::{CONFIG_FILE_PATH, DB_PATH, TABLE};
use super::value::ValueKind;
use crate::version;

const NOT_YET_HEADING: &str = "Not available in this version yet";
const WITHOUT_EFFECT_HEADING: &str = "Accepted but ignored (compatibility)";
const HELP_WIDTH: usize = 100;

/// A parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    Serve(RawOptions),
    Verify(RawOptions),
    Inspect(Vec<PathBuf>),
    /// A command that talks to a server.
    Client {
        name: String,
        matches: ArgMatches,
    },
    Completions(Shell),
    /// The manual page of the program or of a command.
    Man(Option<String>),
}

/// Options of `sonde verify`: those that locate the database of a server.
pub static VERIFY_OPTIONS: &[&LaunchOption] = &[&CONFIG_FILE_PATH, &DB_PATH];

pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, OptionError> {
    let matches = command().try_get_matches_from(arguments)?;
    Ok(match matches.subcommand() {
        Some(("verify", matches)) => Invocation::Verify(raw_options(matches, VERIFY_OPTIONS)),
        Some(("inspect", matches)) => {
            let paths = matches.get_many::<PathBuf>("path").into_iter().flatten();
            Invocation::Inspect(paths.cloned().collect())
        }
        Some(("completions", matches)) => {
            Invocation::Completions(matches.get_one("shell").copied().unwrap_or(Shell::Bash))
        }
        Some(("man", matches)) => Invocation::Man(matches.get_one("command").cloned()),
        Some((name, matches)) => {
            Invocation::Client { name: name.to_owned(), matches: matches.clone() }
        }
        None => Invocation::Serve(raw_options(&matches, TABLE)),
    })
}

pub fn command() -> Command {
    // Help headings appear in the order of their first option.
    let on_command_line = TABLE.iter().copied().filter(|option| option.on_command_line);
    let (available, others): (Vec<_>, Vec<_>) =
        on_command_line.partition(|option| option.is_available());
    Command::new("sonde")
        .version(version::PACKAGE)
        .long_version(version::long())
        .about("Sonde is a search engine. Without a command it starts the server.")
        .after_help(
            "Each option can also be set by the environment variable shown, or in the \
             configuration file under the name of the flag with _ instead of -. The command line \
             overrides the environment, and the environment overrides the file.",
        )
        .max_term_width(HELP_WIDTH)
        .args_conflicts_with_subcommands(true)
        .args(available.into_iter().chain(others).map(argument))
        .subcommands(cli::commands())
        .subcommand(
            Command::new("verify")
                .about("Checks the whole database and lists damaged files")
                .args(VERIFY_OPTIONS.iter().map(|option| argument(option))),
        )
        .subcommand(
            Command::new("inspect").about("Describes files or folders of the database").arg(
                Arg::new("path")
                    .value_name("FILE|FOLDER")
                    .required(true)
                    .num_args(1..)
                    .value_parser(value_parser!(PathBuf)),
            ),
        )
        .subcommand(Command::new("completions").about("Prints a shell completion script").arg(
            Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)),
        ))
        .subcommand(
            Command::new("man")
                .about("Prints the manual page of the program or a command")
                .arg(Arg::new("command").value_name("COMMAND").help("Command, such as `import`")),
        )
}

fn argument(option: &'static LaunchOption) -> Arg {
    let argument = Arg::new(option.name).long(option.name).help(help(option));
    let argument = match option.availability {
        Availability::Available => argument.help_heading(option.group.heading()),
        Availability::NotYet { .. } => argument.help_heading(NOT_YET_HEADING).hide_short_help(true),
        Availability::WithoutEffect { .. } => {
            argument.help_heading(WITHOUT_EFFECT_HEADING).hide_short_help(true)
        }
    };
    if option.kind == ValueKind::Flag {
        return argument.action(ArgAction::SetTrue);
    }
    let argument = argument
        .action(ArgAction::Set)
        .value_name(option.kind.placeholder())
        .value_parser(value_parser!(OsString));
    match option.kind {
        ValueKind::Period { when_bare } => {
            argument.num_args(0..=1).default_missing_value(when_bare)
        }
        _ => argument,
    }
}

fn help(option: &LaunchOption) -> String {
    let mut text = option.help.to_owned();
    if let ValueKind::Choice(words) = option.kind {
        text += &format!(" [one of: {}]", words.join(", "));
    }
    match option.fallback {
        Fallback::Value(value) => text += &format!(" [default: {value}]"),
        Fallback::Computed(words) => text += &format!(" [default: {words}]"),
        Fallback::Absent => {}
    }
    text + format!(" [env: {}]", option.environment_variable()).as_str()
}

fn raw_options(matches: &ArgMatches, options: &[&'static LaunchOption]) -> RawOptions {
    let mut raw = RawOptions::default();
    for &option in options.iter().filter(|option| option.on_command_line) {
        let text = match option.kind {
            ValueKind::Flag => matches.get_flag(option.name).then(|| "true".into()),
            _ => matches.get_one::<OsString>(option.name).cloned(),
        };
        if let Some(text) = text {
            raw.set(option, text, Source::CommandLine);
        }
    }
    raw
}
