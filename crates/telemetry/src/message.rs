//! Messages in the form that collectors of the "segment" kind take: one that says who the
//! instance is, and one for each kind of event.

use model::timestamp::rfc3339;
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::kinds::Ledger;
use crate::sheet::Sheet;

/// Counts first launches without telling them apart.
const ALL_LAUNCHES: &str = "total_launch";

/// What all messages of a period have in common.
#[derive(Debug)]
pub(crate) struct Sender<'a> {
    pub uid: Uuid,
    pub version: &'a str,
    /// When the period began.
    pub since: OffsetDateTime,
}

impl Sender<'_> {
    pub fn messages(&self, profile: Sheet, ledger: &Ledger) -> Vec<Value> {
        let mut messages = vec![json!({
            "type": "identify",
            "messageId": self.message_id("identify"),
            "userId": self.uid,
            "timestamp": rfc3339(self.since),
            "context": self.context(),
            "traits": profile.into_json(),
        })];
        for (name, first, figures) in ledger.told() {
            messages.push(json!({
                "type": "track",
                "messageId": self.message_id(name),
                "userId": self.uid,
                "event": name,
                "timestamp": rfc3339(first),
                "context": self.context(),
                "properties": figures.into_json(),
            }));
        }
        messages
    }

    /// What is sent at once when an instance starts for the first time.
    pub fn launch(&self) -> Value {
        json!({
            "type": "track",
            "userId": ALL_LAUNCHES,
            "event": "Launched",
            "timestamp": rfc3339(self.since),
            "context": self.context(),
            "properties": {},
        })
    }

    fn context(&self) -> Value {
        json!({ "app": { "version": self.version } })
    }

    /// The same when a message is sent again, so that it counts once.
    fn message_id(&self, name: &str) -> String {
        format!("{}:{}:{name}", self.uid, self.since.unix_timestamp())
    }
}
