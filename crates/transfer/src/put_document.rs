//! Writes the text of a document into its index, with the names of its fields.

use document::{Document, VECTORS_FIELD};
use index::{DocId, Writer};
use model::{Code, ServiceError, limits};

use crate::failure::index_failure;

/// Puts the text of a document into the index. Returns its number and its text, with the fields in
/// the order of the document.
pub fn put_document(
    writer: &mut Writer<'_>,
    id: &str,
    document: &Document<'_>,
) -> Result<(DocId, String), ServiceError> {
    let json = document.to_json();
    let leading =
        writer.leading_field().filter(|name| document.field_names().next() != Some(*name));
    let led = leading.map(|name| document.to_json_led_by(name));
    let stored = led.as_deref().unwrap_or(&json);
    let fields = document.field_names();
    let doc_id = writer.upsert(id, stored, fields).map_err(index_failure)?;
    document::nested_names(document, |name| writer.register_fields([name]));
    check_number_of_fields(writer)?;
    Ok((doc_id, json))
}

/// Records the fields of a document stored elsewhere: the known fields of an index do not depend on
/// where its documents are.
pub fn register_fields(
    writer: &mut Writer<'_>,
    document: &Document<'_>,
) -> Result<(), ServiceError> {
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
