//! Messages in the format of "segment" collectors: one that identifies the instance, and one for
//! each kind of event.

use model::timestamp::rfc3339;
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::fields::Fields;
use crate::totals::Totals;

/// User id under which all first launches are counted, indistinguishably.
const ALL_LAUNCHES: &str = "total_launch";

/// Fields shared by all messages of a period.
#[derive(Debug)]
pub(crate) struct Sender<'a> {
    pub uid: Uuid,
    pub version: &'a str,
    /// When the period began.
    pub since: OffsetDateTime,
}

impl Sender<'_> {
    pub fn messages(&self, profile: Fields, totals: &Totals) -> Vec<Value> {
        let mut messages = vec![json!({
            "type": "identify",
            "messageId": self.message_id("identify"),
            "userId": self.uid,
            "timestamp": rfc3339(self.since),
            "context": self.context(),
            "traits": profile.into_json(),
        })];
        for (name, first, figures) in totals.reports() {
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

    /// Returns the message sent at the first start of an instance.
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

    /// Returns an id that is stable when a message is sent again, so that it counts once.
    fn message_id(&self, name: &str) -> String {
        format!("{}:{}:{name}", self.uid, self.since.unix_timestamp())
    }
}
