//! The paths of the settings of an index: of all at once, and of each on its own. They follow from the
//! table of settings; none is written down here.

use std::sync::LazyLock;

use settings::Setting;

pub const ALL: &str = "/indexes/{uid}/settings";

/// The path of each setting, in the order of the table.
pub fn each() -> impl Iterator<Item = &'static str> {
    static EACH: LazyLock<Vec<String>> =
        LazyLock::new(|| Setting::ALL.iter().map(|s| format!("{ALL}/{}", s.route)).collect());
    EACH.iter().map(String::as_str)
}
