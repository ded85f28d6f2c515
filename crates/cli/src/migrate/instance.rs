//! Copies what belongs to no index: features, chat workspaces, search rules. Those that the source
//! server lacks are skipped.

use outbound::Method;
use serde_json::{Map, Value};

use super::index::without_secrets;
use super::{Migration, listing};
use crate::error::CliError;
use crate::server::segment;
use crate::tasks::{EnqueuedTask, wait_for};
use crate::terminal::counted;

const FEATURES: &str = "/experimental-features";
const CHATS: &str = "/chats";
const SEARCH_RULES: &str = "/dynamic-search-rules";

/// Switches on the features that are on at the source: settings may need them.
pub(super) fn features(migration: &mut Migration) -> Result<(), CliError> {
    let both = migration
        .from
        .get::<Map<String, Value>>(FEATURES)
        .and_then(|there| Ok((there, migration.to.get::<Map<String, Value>>(FEATURES)?)));
    let (there, here) = match both {
        Ok(both) => both,
        Err(failure @ CliError::Refused { .. }) if !failure.needs_key() => {
            eprintln!("features: skipped; {failure}");
            return Ok(());
        }
        Err(failure) => return Err(failure),
    };
    let mut wanted = Map::new();
    for (name, _) in there.iter().filter(|(_, is_on)| **is_on == Value::Bool(true)) {
        match here.get(name) {
            Some(Value::Bool(false)) => {
                wanted.insert(name.clone(), true.into());
            }
            Some(_) => {}
            None => eprintln!("features: {name} is not supported here"),
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = wanted.keys().map(String::as_str).collect();
    let names = names.join(", ");
    match migration.to.send::<Value>(Method::Patch, FEATURES, &wanted.into()) {
        Ok(_) => eprintln!("features: switched on {names}"),
        Err(failure) => migration.record_failure(&format!("features: {names}"), &failure)?,
    }
    Ok(())
}

pub(super) fn chats(migration: &mut Migration) -> Result<(), CliError> {
    let found = listing::all(&migration.from, CHATS);
    let Some(workspaces) = listed(migration, "chat workspaces", found)? else { return Ok(()) };
    let mut copied = 0;
    for workspace in &workspaces {
        let uid = workspace["uid"].as_str().unwrap_or_default();
        match chat(migration, uid) {
            Ok(()) => copied += 1,
            Err(failure) => migration.record_failure(&format!("chat workspace {uid}"), &failure)?,
        }
    }
    report_copied(copied, "chat workspace");
    Ok(())
}

fn chat(migration: &mut Migration, uid: &str) -> Result<(), CliError> {
    let path = format!("{CHATS}/{}/settings", segment(uid));
    let mut settings: Value = migration.from.get(&path)?;
    if !without_secrets(&mut settings).is_empty() {
        eprintln!("chat workspace {uid}: its API key cannot be read from the source; set it here");
    }
    let _: Value = migration.to.send(Method::Patch, &path, &settings)?;
    Ok(())
}

pub(super) fn search_rules(migration: &mut Migration) -> Result<(), CliError> {
    let found = listing::all_by_post(&migration.from, SEARCH_RULES);
    let Some(mut rules) = listed(migration, "search rules", found)? else { return Ok(()) };
    // Lists show the latest first; creating in reverse keeps that order.
    rules.reverse();
    let mut copied = 0;
    for mut rule in rules {
        let Some(fields) = rule.as_object_mut() else { continue };
        let uid = fields.shift_remove("uid").unwrap_or_default();
        let uid = uid.as_str().unwrap_or_default();
        fields.shift_remove("lastUpdatedAt");
        let path = format!("{SEARCH_RULES}/{}", segment(uid));
        let sent = migration.to.send::<EnqueuedTask>(Method::Patch, &path, &rule);
        match sent.and_then(|task| wait_for(&migration.to, &task)) {
            Ok(_) => copied += 1,
            Err(failure) => migration.record_failure(&format!("search rule {uid}"), &failure)?,
        }
    }
    report_copied(copied, "search rule");
    Ok(())
}

/// Returns the list, or `None` if the server lacks the feature or the key may not read it.
fn listed(
    migration: &mut Migration,
    what: &str,
    found: Result<Vec<Value>, CliError>,
) -> Result<Option<Vec<Value>>, CliError> {
    match found {
        Ok(list) => Ok(Some(list)),
        Err(failure) if failure.is_missing_feature() => {
            eprintln!("{what}: skipped; the source server has none");
            Ok(None)
        }
        Err(CliError::Refused { status: 401 | 403, message, .. }) => {
            eprintln!("{what}: skipped; {message}");
            Ok(None)
        }
        Err(failure) => migration.record_failure(what, &failure).map(|()| None),
    }
}

fn report_copied(copied: u64, what: &str) {
    if copied > 0 {
        eprintln!("{}: copied", counted(copied, what));
    }
}
