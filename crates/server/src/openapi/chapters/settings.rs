//! The settings of an index, all at once and each on its own, derived from the table of settings.

use model::Code;
use settings::{ChangeKind, Setting};

use crate::openapi::components::settings::{change_of, of};
use crate::openapi::operation::{Operation, delete, get, patch, put};
use crate::schema::{described, named};
use crate::setting_paths::{self, ALL};

pub fn all() -> Vec<Operation> {
    let every_code: Vec<Code> = Setting::ALL.iter().map(|setting| setting.code).collect();
    let mut operations = vec![
        get(ALL, "Get all settings").reads_index().answers(200, named("Settings")),
        patch(ALL, "Update settings")
            .about("Updates the settings in the body; null resets one. A missing index is created.")
            .takes_json(named("SettingsChange"))
            .codes(&every_code)
            .codes(OF_CHANGES)
            .enqueues(),
        delete(ALL, "Reset all settings").enqueues(),
    ];
    for (setting, path) in Setting::ALL.iter().zip(setting_paths::each()) {
        operations.extend(of_one(setting, path));
    }
    operations
}

/// Errors of embedders and templates that are found when a change is sent.
const OF_CHANGES: &[Code] = &[
    Code::FeatureNotEnabled,
    Code::VectorEmbeddingError,
    Code::InvalidChatSettingDocumentTemplate,
];

fn of_one(setting: &'static Setting, path: &'static str) -> [Operation; 3] {
    let (name, about) = (setting.name, setting.help);
    let change = match setting.change {
        ChangeKind::Replace => put(path, &format!("Set `{name}`")).about(about),
        ChangeKind::Merge => patch(path, &format!("Update `{name}`"))
            .about(&format!("{about} Members that are not sent are kept.")),
    };
    let change = match setting.feature {
        Some(feature) => change.needs(feature),
        None => change,
    };
    let of_embedders: &[Code] = if setting.name == "embedders" { OF_CHANGES } else { &[] };
    [
        get(path, &format!("Get `{name}`"))
            .about(about)
            .reads_index()
            .answers(200, described(of(setting), about)),
        change.takes_json(change_of(setting)).codes(&[setting.code]).codes(of_embedders).enqueues(),
        delete(path, &format!("Reset `{name}`")).enqueues(),
    ]
}
