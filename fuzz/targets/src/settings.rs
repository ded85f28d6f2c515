//! Settings of any JSON: refused, or applied to settings of another change and read back.

use model::Features;
use serde_json::{Value, json};
use settings::{Change, Setting, Settings};

/// Fails where the target would.
pub fn run(text: &[u8]) {
    let text = crate::text(text);
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    for setting in Setting::ALL {
        let _ = Change::of_one(setting, value.clone());
    }
    let change = match Change::of_many(value) {
        Ok(change) => change,
        Err(error) => return drop(error.to_string()),
    };
    let _ = change.check_whole(&Features::default());
    drop(change.details());
    let Ok(stored) = change.clone().apply(&json!({})) else { return };
    drop(Settings::from_stored(&stored));
    let _ = Setting::read_all(&stored, &Features::default());
    let _ = change.apply(&stored);
}
