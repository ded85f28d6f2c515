//! Packs messages into batches small enough for a collector.

use serde_json::Value;

/// Longer messages are left out.
pub(crate) const MAX_MESSAGE_BYTES: usize = 32 << 10;
/// A batch is closed before it gets longer than this.
pub(crate) const MAX_BATCH_BYTES: usize = 500_000;

const OPENING: &str = "{\"batch\":[";
const CLOSING: &str = "]}";

/// Returns JSON objects whose member `batch` holds the messages.
pub(crate) fn batches(messages: impl IntoIterator<Item = Value>) -> Vec<String> {
    let mut batches = Vec::new();
    let mut open = String::new();
    for message in messages {
        let message = message.to_string();
        if message.len() > MAX_MESSAGE_BYTES {
            continue;
        }
        let longer = open.len() + 1 + message.len() + CLOSING.len();
        if !open.is_empty() && longer > MAX_BATCH_BYTES {
            batches.push(std::mem::take(&mut open) + CLOSING);
        }
        open.push_str(if open.is_empty() { OPENING } else { "," });
        open.push_str(&message);
    }
    if !open.is_empty() {
        batches.push(open + CLOSING);
    }
    batches
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(number: usize, bytes: usize) -> Value {
        json!({ "number": number, "text": "x".repeat(bytes) })
    }

    #[test]
    fn batches_hold_every_message_in_order_within_the_limit() {
        let messages: Vec<Value> = (0..100).map(|number| message(number, 11_000)).collect();
        let batches = batches(messages.clone());
        assert_eq!(batches.len(), 3);
        let mut found = Vec::new();
        for batch in &batches {
            assert!(batch.len() <= MAX_BATCH_BYTES, "{}", batch.len());
            let batch: Value = serde_json::from_str(batch).unwrap();
            found.extend(batch["batch"].as_array().unwrap().clone());
        }
        assert_eq!(found, messages);
        assert!(batches[0].len() + 11_100 > MAX_BATCH_BYTES);
    }

    #[test]
    fn a_message_that_is_too_long_is_left_out() {
        let around = message(1, 0).to_string().len();
        let (fits, too_long) = (MAX_MESSAGE_BYTES - around, MAX_MESSAGE_BYTES - around + 1);
        let batches = batches([message(1, fits), message(2, too_long), message(3, 1)]);
        assert_eq!(batches.len(), 1);
        let batch: Value = serde_json::from_str(&batches[0]).unwrap();
        let numbers: Vec<_> =
            batch["batch"].as_array().unwrap().iter().map(|m| &m["number"]).collect();
        assert_eq!(numbers, [&json!(1), &json!(3)]);
        assert!(super::batches([]).is_empty());
    }
}
