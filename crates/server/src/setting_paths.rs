//! Paths of the settings routes, of all settings and of each, derived from the table of settings.

use std::sync::LazyLock;

use settings::Setting;

pub const ALL: &str = "/indexes/{uid}/settings";

/// Returns the path of each setting, in the order of the table.
pub fn each() -> impl Iterator<Item = &'static str> {
    static EACH: LazyLock<Vec<String>> =
        LazyLock::new(|| Setting::ALL.iter().map(|s| format!("{ALL}/{}", s.route)).collect());
    EACH.iter().map(String::as_str)
}
