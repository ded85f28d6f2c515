//! The attributes from which phrases are taken. They must be searchable, so that a suggestion finds
//! what it comes from, and displayed, so that it shows nothing that documents do not.

use index::Snapshot;
use settings::Settings;
use settings::pattern::covers;

use crate::attributes::{is_displayed, listed};
use crate::error::SearchError;

#[derive(Debug)]
pub(super) struct SourceAttributes<'s> {
    settings: &'s Settings,
    /// None: all of them.
    name: Option<String>,
}

impl<'s> SourceAttributes<'s> {
    /// Checks the attribute that a request names, or chooses one.
    pub fn of(snapshot: &'s Snapshot, named: Option<&str>) -> Result<Self, SearchError> {
        let settings: &Settings = snapshot.typed_settings();
        let name = match named {
            Some("*") => None,
            Some(name) => Some(checked(settings, name)?),
            None => default(settings)?,
        };
        Ok(Self { settings, name })
    }

    /// The attribute, if it is one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether phrases are taken from a field, by its flattened name. Whether it is searchable is
    /// for its role to say.
    pub fn has(&self, field: &str) -> bool {
        self.name.as_ref().is_none_or(|name| covers(name, field))
            && is_displayed(self.settings, field)
    }
}

/// The first searchable attribute that is displayed; none where all attributes are searched alike.
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

/// Whether an attribute or something inside it is displayed.
fn is_shown(settings: &Settings, name: &str) -> bool {
    let displayed = settings.displayed_attributes.as_ref();
    is_displayed(settings, name)
        || displayed.is_some_and(|entries| entries.iter().any(|entry| covers(name, entry)))
}
