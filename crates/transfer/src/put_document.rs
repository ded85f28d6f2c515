//! Writes the text of a document into its index, with the names of its fields.

use document::{Document, VECTORS_FIELD};
use index::{DocId, Writer};
use model::{Code, ServiceError, limits};

use crate::failure::index_failure;

/// Puts the text of a document into the index.
pub fn put_document(
    writer: &mut Writer<'_>,
    id: &str,
    document: &Document<'_>,
) -> Result<DocId, ServiceError> {
    let json = match writer.leading_field() {
        Some(first) if document.field_names().next() != Some(first) => {
            document.to_json_led_by(first)
        }
        _ => document.to_json(),
    };
    let fields = document.field_names();
    let doc_id = writer.upsert(id, &json, fields).map_err(|error| index_failure(&error))?;
    document::nested_names(document, |name| writer.register_fields([name]));
    check_number_of_fields(writer)?;
    Ok(doc_id)
}

/// Records the fields of a document stored elsewhere: the known fields of an index do not depend on
/// where its documents are.
pub fn note_fields(writer: &mut Writer<'_>, document: &Document<'_>) -> Result<(), ServiceError> {
    let of_user = document.field_names().filter(|name| *name != VECTORS_FIELD);
    writer.register_fields(of_user);
    document::nested_names(document, |name| writer.register_fields([name]));
    check_number_of_fields(writer)
}

fn check_number_of_fields(writer: &Writer<'_>) -> Result<(), ServiceError> {
    if writer.number_of_fields() <= limits::MAX_FIELDS {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::MaxFieldsLimitExceeded,
        "A document cannot contain more than 65,535 fields.",
    ))
}
