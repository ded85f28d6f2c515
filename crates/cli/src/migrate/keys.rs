//! Copies API keys. A copy has the uid of the original, and thus the same value if both servers
//! have the same master key; the value itself cannot be copied.

use outbound::Method;
use serde_json::{Map, Value};

use super::{Migration, listing};
use crate::error::CliError;
use crate::server::segment;
use crate::terminal::counted;

const COPIED: [&str; 6] = ["uid", "name", "description", "actions", "indexes", "expiresAt"];

pub(super) fn copy(migration: &mut Migration) -> Result<(), CliError> {
    let mut keys = match listing::all(&migration.from, "/keys") {
        Ok(keys) => keys,
        Err(CliError::Refused { status: 401 | 403, message, .. }) => {
            eprintln!("keys: skipped; {message}");
            return Ok(());
        }
        Err(failure) => return migration.record_failure("keys", &failure),
    };
    // Lists show the newest first; creating in reverse keeps that order.
    keys.reverse();
    let (mut copied, mut different) = (0, 0);
    for key in &keys {
        match copy_one(migration, key) {
            Ok(value) => {
                copied += 1;
                different += u64::from(value != key["key"]);
            }
            Err(CliError::Refused { status: 401, code, message })
                if code == "missing_master_key" =>
            {
                eprintln!("keys: skipped; the target server: {message}");
                return Ok(());
            }
            Err(failure) if failure.code() == "invalid_api_key_expires_at" => {
                eprintln!("keys: {} has expired; skipped", name(key));
            }
            Err(failure) => migration.record_failure(&format!("keys: {}", name(key)), &failure)?,
        }
    }
    let about = match different {
        0 => "with the same values".to_owned(),
        _ => format!(
            "{different} of them with other values, because the master keys of the two servers \
             differ: give the new ones to your clients, or start this server with the same master key"
        ),
    };
    eprintln!("keys: {}, {about}", counted(copied, "key"));
    Ok(())
}

/// Copies a key and returns its value on the target.
fn copy_one(migration: &mut Migration, key: &Value) -> Result<Value, CliError> {
    let mut body = Map::new();
    for field in COPIED {
        body.insert(field.to_owned(), key[field].clone());
    }
    let made: Result<Value, _> = migration.to.send(Method::Post, "/keys", &body.into());
    let made = match made {
        Err(failure) if failure.code() == "api_key_already_exists" => {
            let uid = key["uid"].as_str().unwrap_or_default();
            migration.to.get(&format!("/keys/{}", segment(uid)))?
        }
        made => made?,
    };
    Ok(made["key"].clone())
}

fn name(key: &Value) -> String {
    let text = |field: &str| key[field].as_str().map(str::to_owned);
    text("name").or_else(|| text("uid")).unwrap_or_default()
}
