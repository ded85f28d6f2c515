//! What an operator sees first: where the server listens, what it works on, how it is protected.

use std::fmt::Write as _;
use std::io::Write as _;

use crate::options::address::Address;
use crate::options::config::Config;
use crate::version;

const LOGO: &str = r"
        |
        |      s o n d e
   ~~~~~|~~~~~~~~~~~~~~~~~~~~
        |
        o
";

pub fn print(config: &Config, port: u16, notes: &[String]) {
    // A closed stderr is no reason not to serve.
    let _ = std::io::stderr().lock().write_all(text(config, port, notes).as_bytes());
}

fn text(config: &Config, port: u16, notes: &[String]) -> String {
    let url = format!("http://{}", Address { host: config.http_addr.host.clone(), port });
    let config_file = match &config.config_file {
        Some(path) => path.display().to_string(),
        None => "none".to_owned(),
    };
    let facts = [
        ("Config file path", config_file),
        ("Database path", config.db_path.display().to_string()),
        ("Server listening on", url.clone()),
        ("Environment", "development".to_owned()),
        ("Commit SHA", version::COMMIT_SHA.to_owned()),
        ("Commit date", version::COMMIT_DATE.to_owned()),
        ("Package version", version::PACKAGE.to_owned()),
        ("Anonymous telemetry", "Disabled (this version collects and sends nothing)".to_owned()),
        ("Error codes explained", format!("{url}/docs/errors")),
    ];
    let mut text = format!("{LOGO}\n");
    for (name, value) in facts {
        let _ = writeln!(text, "{:<24}{value}", format!("{name}:"));
    }
    text += "\nNo master key is set: whoever reaches this address can read and change everything.\n\
             API keys are not available in this version of Sonde yet.\n";
    for note in notes {
        let _ = writeln!(text, "\nNote: {note}");
    }
    text.push('\n');
    text
}
