//! Editing stored documents by a function of the user: a Rhai script that sees each document as
//! the variable `doc` and changes it in place.
//!
//! The script is not trusted. It runs in a sandbox (`sandbox`), on a stack made for the depth it
//! is allowed (`deep_stack`), and what it leaves in `doc` is read with the stored text at hand
//! (`dynamic`), so that what it did not touch keeps its order and its digits.

mod deep_stack;
mod dynamic;
mod sandbox;

use json::ScanError;
use model::{Code, ServiceError};
use rhai::{AST, Dynamic, Engine, EvalAltResult, Scope};
use serde_json::{Map, Value};

pub use deep_stack::with_deep_stack;

use crate::{Document, DocumentError, PrimaryKey};

/// A compiled script takes many times the memory of its source.
const MAX_SOURCE_BYTES: usize = 1 << 20;

/// A compiled script with its context, ready for any number of documents.
#[derive(Debug)]
pub struct EditFunction {
    engine: Engine,
    script: AST,
    context: Option<Dynamic>,
}

/// The result of a script for one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    Unchanged,
    Deleted,
    /// The JSON of the new document; it has the same id.
    Replaced(String),
}

impl EditFunction {
    /// Compiles `source`. The context is the constant `context` of the script.
    pub fn compile(
        source: &str,
        context: Option<&Map<String, Value>>,
    ) -> Result<Self, ServiceError> {
        if source.len() > MAX_SOURCE_BYTES {
            return Err(ServiceError::new(Code::BadRequest, "The function is longer than 1 MiB"));
        }
        let engine = sandbox::engine();
        let script = with_deep_stack(|| engine.compile(source))?
            .map_err(|error| ServiceError::new(Code::BadRequest, error.to_string()))?;
        let context = context.map(context_value).transpose()?;
        Ok(Self { engine, script, context })
    }

    /// Runs the script on one stored document.
    ///
    /// Callers with many documents should wrap the whole loop in [`with_deep_stack`]; otherwise
    /// every call starts a thread.
    pub fn apply(&self, primary_key: &PrimaryKey, json: &str) -> Result<Edit, ServiceError> {
        with_deep_stack(|| self.apply_here(primary_key, json))?
    }

    fn apply_here(&self, primary_key: &PrimaryKey, json: &str) -> Result<Edit, ServiceError> {
        let edited = self.run(json)?;
        if edited.is_unit() {
            return Ok(Edit::Deleted);
        }
        if !edited.is_map() {
            return Err(failed("Document editions must keep documents as objects"));
        }
        let new_json = dynamic::write_over(&edited, json).map_err(too_deep)?;
        if new_json == json {
            return Ok(Edit::Unchanged);
        }
        check_id(primary_key, json, &new_json, &edited)?;
        Ok(Edit::Replaced(new_json))
    }

    /// Runs the script and returns the value of `doc`.
    fn run(&self, json: &str) -> Result<Dynamic, ServiceError> {
        let document = dynamic::read(json).map_err(not_a_document)?;
        let mut scope = Scope::new();
        scope.push_dynamic("doc", document);
        if let Some(context) = &self.context {
            scope.push_constant_dynamic("context", context.clone());
        }
        sandbox::run(|| self.engine.run_ast_with_scope(&mut scope, &self.script))
            .map_err(runtime_error)?;
        let document = scope.get_value::<Dynamic>("doc");
        Ok(document.unwrap_or(Dynamic::UNIT).flatten())
    }
}

fn context_value(context: &Map<String, Value>) -> Result<Dynamic, ServiceError> {
    let json = Value::Object(context.clone()).to_string();
    dynamic::read(&json).map_err(|ScanError| {
        ServiceError::new(Code::InvalidDocumentEditionContext, "The context is nested too deeply")
    })
}

/// Checks that the id, as text, is unchanged.
fn check_id(
    primary_key: &PrimaryKey,
    old_json: &str,
    new_json: &str,
    edited: &Dynamic,
) -> Result<(), ServiceError> {
    let (old, new) = (Document::parse(old_json)?, Document::parse(new_json)?);
    match (primary_key.id_of(&old), primary_key.id_of(&new)) {
        (Ok(old), Ok(new)) if old == new => Ok(()),
        (_, Err(DocumentError::MissingId { primary_key, .. })) => {
            // The document is shown as the script left it, its fields in the order of a map.
            let document = dynamic::write(edited).map_err(too_deep)?;
            Err(DocumentError::MissingId { primary_key, document }.into())
        }
        _ => Err(failed("Document editions cannot modify a document's primary key")),
    }
}

fn failed(message: impl Into<String>) -> ServiceError {
    ServiceError::new(Code::EditDocumentsByFunctionError, message)
}

fn runtime_error(mut error: Box<EvalAltResult>) -> ServiceError {
    // Arithmetic errors have no position in the contract.
    if matches!(*error, EvalAltResult::ErrorArithmetic(..)) {
        error.clear_position();
    }
    failed(format!(
        "Document edition runtime error encountered while running the function: {error}"
    ))
}

fn too_deep(ScanError: ScanError) -> ServiceError {
    failed("Document editions cannot nest documents deeper than 127 levels")
}

fn not_a_document(ScanError: ScanError) -> ServiceError {
    ServiceError::internal("the stored document is damaged")
}

#[cfg(test)]
#[path = "edit/edit_tests.rs"]
mod tests;
