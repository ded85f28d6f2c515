//! The start banner: where the server listens, its configuration, and how it is protected.

use std::fmt::Write as _;
use std::io::Write as _;

use engine::keys::{MIN_MASTER_KEY_BYTES, MasterKey};
use model::Secret;
use telemetry::Telemetry;

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

pub fn print(config: &Config, port: u16, telemetry: &Telemetry, notes: &[String]) {
    // Serving does not depend on an open stderr.
    let _ = std::io::stderr().lock().write_all(text(config, port, telemetry, notes).as_bytes());
}

fn text(config: &Config, port: u16, telemetry: &Telemetry, notes: &[String]) -> String {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}", Address { host: config.http_addr.host.clone(), port });
    let environment = if config.is_production { "production" } else { "development" };
    let config_file = match &config.config_file {
        Some(path) => path.display().to_string(),
        None => "none".to_owned(),
    };
    let mut facts = vec![
        ("Config file path", config_file),
        ("Database path", config.db_path.display().to_string()),
        ("Server listening on", url.clone()),
        ("Environment", environment.to_owned()),
        ("Commit SHA", version::COMMIT_SHA.to_owned()),
        ("Commit date", version::COMMIT_DATE.to_owned()),
        ("Package version", version::PACKAGE.to_owned()),
        ("Error codes explained", format!("{url}/docs/errors")),
        ("Anonymous telemetry", telemetry_status(telemetry)),
    ];
    if config.dashboard {
        facts.insert(3, ("Dashboard", format!("{url}/")));
    }
    if let Some(uid) = telemetry.uid() {
        facts.push(("Instance UID", uid.to_string()));
    }
    let mut text = format!("{LOGO}\n");
    for (name, value) in facts {
        let _ = writeln!(text, "{:<24}{value}", format!("{name}:"));
    }
    text.push_str(&protection(config.master_key.as_ref()));
    for note in notes {
        let _ = writeln!(text, "\nNote: {note}");
    }
    text.push('\n');
    text
}

/// Describes how well the instance is protected, without showing the key.
fn protection(master_key: Option<&Secret>) -> String {
    let flaw = match master_key.map(|key| key.expose().len()) {
        None => {
            "No master key is set: anyone who can reach this address has full access.".to_owned()
        }
        Some(0) => "The master key is empty and protects nothing: anyone who can reach this \
                    address has full access."
            .to_owned(),
        Some(length) if length < MIN_MASTER_KEY_BYTES => format!(
            "The master key has {length} bytes and can be guessed. Production requires at \
             least {MIN_MASTER_KEY_BYTES}."
        ),
        Some(_) => return "\nA master key is set: requests need it or an API key.\n".to_owned(),
    };
    let suggestion = match MasterKey::suggestion() {
        Ok(key) => format!("Generated for you: --master-key {key}\n"),
        Err(_) => String::new(),
    };
    format!("\nWarning: {flaw}\n{suggestion}")
}

/// Describes what telemetry sends, and how to see or stop it.
fn telemetry_status(telemetry: &Telemetry) -> String {
    match (telemetry.is_on(), telemetry.has_collector()) {
        (false, _) => "Disabled".to_owned(),
        (true, false) => "Nothing is sent (no collector)".to_owned(),
        (true, true) => "Enabled; GET /telemetry/preview shows what is sent, --no-analytics \
                         switches it off"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_key_is_mentioned_and_a_bad_one_replaced() {
        let told = |key: &str| protection(Some(&Secret::new(key)));
        let good = "a key of sixteen";
        assert!(told(good).contains("A master key is set") && !told(good).contains(good));
        for (key, words) in [("", "protects nothing"), ("swordfish", "has 9 bytes")] {
            let told = told(key);
            assert!(told.contains(words) && told.contains("Generated for you: "), "{told}");
            assert!(key.is_empty() || !told.contains(key), "{told}");
        }
        assert!(protection(None).contains("No master key is set"));
        assert_ne!(protection(None), protection(None));
    }
}
