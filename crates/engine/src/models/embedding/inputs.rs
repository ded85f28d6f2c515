//! Inputs of a document for embedding, by the settings of its index.

use embed::{Embedder, Inputs};
use model::ServiceError;
use serde_json::{Map, Value};
use settings::Settings;
use settings::pattern::covers;
use template::Fields;

use super::failure::not_rendered;

/// Renders documents of an index to inputs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputRenderer<'s> {
    pub settings: &'s Settings,
    /// True if a document that the template does not fit just has no input.
    pub ignore_failures: bool,
}

impl InputRenderer<'_> {
    pub fn inputs(self, embedder: &Embedder, id: &str, json: &str) -> Result<Inputs, ServiceError> {
        let document: Map<String, Value> =
            serde_json::from_str(json).map_err(ServiceError::internal)?;
        match embedder.inputs_of(&document, &SearchableFields(self.settings)) {
            Ok(inputs) => Ok(inputs),
            Err(_) if self.ignore_failures => Ok(Inputs::new()),
            Err(error) => Err(not_rendered(id, &error)),
        }
    }
}

pub(crate) struct SearchableFields<'s>(pub &'s Settings);

impl Fields for SearchableFields<'_> {
    /// Empty: templates see the fields in the document's own order.
    fn known(&self) -> &[String] {
        &[]
    }

    fn is_searchable(&self, name: &str) -> bool {
        let searchable = self.0.searchable_attributes.as_ref();
        searchable.is_none_or(|entries| entries.iter().any(|entry| covers(entry, name)))
    }
}
