//! Named schemas that several routes share.

mod documents;
pub mod instance;
pub mod search;
pub mod settings;
pub mod tasks;

use serde_json::{Map, Value};

use crate::schema::Schema;

/// A schema with its name.
pub type Named = (&'static str, Schema);

pub fn all() -> Value {
    let chapters =
        [tasks::all(), documents::all(), search::all(), settings::all(), instance::all()];
    let mut components = Map::new();
    for (name, schema) in chapters.into_iter().flatten() {
        components.insert(name.to_owned(), schema.into_value());
    }
    Value::Object(components)
}
