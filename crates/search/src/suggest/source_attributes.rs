//! The attributes from which phrases are taken. They must be searchable, so that a suggestion
//! matches its own document, and displayed, so that it reveals nothing hidden.

use index::Snapshot;
use settings::Settings;
use settings::pattern::covers;

use crate::attributes::{is_displayed, listed};
use crate::error::SearchError;

#[derive(Debug)]
pub(super) struct SourceAttributes<'s> {
    settings: &'s Settings,
    /// `None`: all attributes.
    name: Option<String>,
}

impl<'s> SourceAttributes<'s> {
    /// Checks the attribute of a request, or chooses the default.
    pub fn of(snapshot: &'s Snapshot, named: Option<&str>) -> Result<Self, SearchError> {
        let settings: &Settings = snapshot.typed_settings();
        let name = match named {
            Some("*") => None,
            Some(name) => Some(checked(settings, name)?),
            None => default(settings)?,
        };
        Ok(Self { settings, name })
    }

    /// Returns the attribute, if it is a single one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns whether phrases are taken from a field, by its flattened name. Its role decides
    /// separately whether it is searchable.
    pub fn has(&self, field: &str) -> bool {
        self.name.as_ref().is_none_or(|name| covers(name, field))
            && is_displayed(self.settings, field)
    }
}

/// Returns the first searchable attribute that is displayed; `None` if all attributes are searched
/// alike.
fn default(settings: &Settings) -> Result<Option<String>, SearchError> {
    let Some(searchable) = &settings.searchable_attributes else {
        return Ok(None);
    };
    match searchable.iter().find(|name| is_shown(settings, name)) {
        Some(name) => Ok(Some(name.clone())),
        None => Err(SearchError::NotSuggested(
            "No searchable attribute of the index is displayed, so there is nothing to suggest."
                .to_owned(),
        )),
    }
}

fn checked(settings: &Settings, name: &str) -> Result<String, SearchError> {
    let searchable = settings.searchable_attributes.as_ref();
    let is_searchable = searchable
        .is_none_or(|entries| entries.iter().any(|it| covers(it, name) || covers(name, it)));
    if is_searchable && !name.contains('*') && is_shown(settings, name) {
        return Ok(name.to_owned());
    }
    let entries = searchable.map_or(&[][..], Vec::as_slice);
    let available = match entries.is_empty() {
        true => settings.displayed_attributes.as_deref().unwrap_or_default(),
        false => entries,
    };
    let available = listed(settings, available.iter().map(String::as_str));
    let available = match available.is_empty() {
        true => String::new(),
        false => format!(" Available attributes are: `{available}`."),
    };
    Err(SearchError::NotSuggested(format!(
        "Attribute `{name}` gives no suggestions: it must be searchable and displayed.{available}"
    )))
}

/// Returns whether an attribute or something inside it is displayed.
fn is_shown(settings: &Settings, name: &str) -> bool {
    let displayed = settings.displayed_attributes.as_ref();
    is_displayed(settings, name)
        || displayed.is_some_and(|entries| entries.iter().any(|entry| covers(name, entry)))
}
