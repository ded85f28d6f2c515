//! A batch of changes as data: it runs against the model and against a real writer, and must
//! come out the same.

use std::collections::{BTreeMap, BTreeSet};

use index::{DocId, Index, Result, Writer};
use serde_json::json;

use super::at;
use super::model::{Model, ModelDocument};

#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A document with a value for each of its fields.
    Upsert(u8, Vec<u8>),
    /// Adds a field to a document if it is there.
    Extend(u8, u8),
    Delete(u8),
    /// By number, those that are there.
    DeleteDocIds(Vec<DocId>),
    Clear,
    SetPrimaryKey(Option<u8>),
    /// Settings of at least so many bytes; by its last digit, some change what is indexed.
    SetSettings(u8),
    RegisterField(u8),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub changes: Vec<Change>,
    /// Otherwise the writer is dropped.
    pub commit: bool,
    /// Shows in the receipt and the date.
    pub number: u8,
}

pub fn external_id(key: u8) -> String {
    format!("document-{key}")
}

/// The field numbered 0 is the one that does not count, the one numbered 5 is a place.
pub fn field_name(field: u8) -> String {
    match field {
        0 => "_vectors".to_owned(),
        5 => "_geo".to_owned(),
        _ => format!("field{field}"),
    }
}

/// JSON of all kinds.
fn field_value(field: &str, number: u8) -> String {
    match field {
        "field2" => format!("[{number},null,\"Two {number}\"]"),
        "field3" if number.is_multiple_of(2) => "null".to_owned(),
        "field3" => "\"\"".to_owned(),
        "field4" => format!("{{\"a\":{number}.5,\"b\":[{{\"c\":{}}}]}}", number > 9),
        "_geo" => format!("{{\"lat\":{},\"lng\":-{number}}}", number % 90),
        _ => format!("\"value {number} of {field}\""),
    }
}

fn settings(length: u8) -> serde_json::Value {
    let mut settings = json!({ "text": "s".repeat(length.into()) });
    match length % 10 {
        1 => settings["searchableAttributes"] = json!(["field1", "id"]),
        2 => settings["searchableAttributes"] = json!(["id", "field1"]),
        3 => settings["stopWords"] = json!(["of"]),
        4 => settings["filterableAttributes"] = json!(["field1", "field4.b"]),
        5 => {
            settings["filterableAttributes"] = json!([{ "attributePatterns": ["field*"] }]);
            settings["sortableAttributes"] = json!(["_geo"]);
        }
        6 => {
            settings["filterableAttributes"] = json!(["_geo", "field2"]);
            settings["distinctAttribute"] = json!("field1");
            settings["rankingRules"] = json!(["field3:asc", "words"]);
        }
        7 => {
            settings["sortableAttributes"] = json!(["field4", "id"]);
            settings["searchableAttributes"] = json!(["field4"]);
        }
        _ => {}
    }
    settings
}

fn document(external_id: &str, fields: &[String], number: u8) -> ModelDocument {
    let mut json = format!("{{\"id\":\"{external_id}\"");
    for field in fields {
        json.push_str(&format!(",\"{field}\":{}", field_value(field, number)));
    }
    json.push('}');
    let fields = std::iter::once("id".to_owned()).chain(fields.iter().cloned()).collect();
    ModelDocument { external_id: external_id.to_owned(), json, fields }
}

fn fields_of(fields: &[u8]) -> Vec<String> {
    let distinct: BTreeSet<u8> = fields.iter().copied().collect();
    distinct.into_iter().map(field_name).collect()
}

impl Batch {
    pub fn commit(number: u8, changes: Vec<Change>) -> Self {
        Self { changes, commit: true, number }
    }

    pub fn run(&self, index: &Index) -> Result<()> {
        let mut writer = index.writer()?;
        for change in &self.changes {
            self.apply(&mut writer, change)?;
        }
        if self.commit {
            writer.commit(&[self.number], at(self.number.into()))?;
        }
        Ok(())
    }

    fn apply(&self, writer: &mut Writer<'_>, change: &Change) -> Result<()> {
        match change {
            Change::Upsert(key, fields) => {
                let document = document(&external_id(*key), &fields_of(fields), self.number);
                upsert(writer, &document)?;
            }
            Change::Extend(key, field) => {
                let external_id = external_id(*key);
                let Some(json) = writer.get(&external_id)? else {
                    assert!(!writer.contains(&external_id)?);
                    return Ok(());
                };
                let value: serde_json::Value = serde_json::from_str(&json).unwrap();
                let old = value.as_object().unwrap().keys().skip(1).cloned().collect();
                upsert(writer, &extended(&external_id, old, *field, self.number))?;
            }
            Change::Delete(key) => {
                let external_id = external_id(*key);
                let there = writer.contains(&external_id)?;
                assert_eq!(writer.delete(&external_id)?, there);
                assert!(!writer.contains(&external_id)?);
            }
            Change::DeleteDocIds(doc_ids) => {
                let before = writer.number_of_documents();
                let deleted = writer.delete_doc_ids(&doc_ids.iter().copied().collect())?;
                assert_eq!(writer.number_of_documents(), before - deleted);
            }
            Change::Clear => {
                let before = writer.number_of_documents();
                assert_eq!(writer.clear()?, before);
            }
            Change::SetPrimaryKey(key) => {
                writer.set_primary_key(key.map(field_name).as_deref());
            }
            Change::SetSettings(length) => writer.set_settings(settings(*length)),
            Change::RegisterField(field) => {
                writer.register_fields([format!("object.{}", field_name(*field)).as_str()]);
            }
        }
        Ok(())
    }

    /// The model after this batch.
    pub fn run_on_model(&self, model: &Model) -> Model {
        if !self.commit {
            return model.clone();
        }
        let mut run = ModelRun::new(model.clone());
        for change in &self.changes {
            run.apply(change, self.number);
        }
        run.model.receipt = vec![self.number];
        run.model.updated_at = at(self.number.into());
        run.model
    }
}

fn upsert(writer: &mut Writer<'_>, document: &ModelDocument) -> Result<()> {
    let fields: Vec<&str> = document.fields.iter().map(String::as_str).collect();
    writer.upsert(&document.external_id, &document.json, fields)?;
    assert_eq!(writer.get(&document.external_id)?.as_ref(), Some(&document.json));
    Ok(())
}

fn extended(external_id: &str, mut fields: Vec<String>, field: u8, number: u8) -> ModelDocument {
    let name = field_name(field);
    if !fields.contains(&name) {
        fields.push(name);
    }
    document(external_id, &fields, number)
}

struct ModelRun {
    model: Model,
    /// Every number that a document had when the batch began or got in it.
    numbers: BTreeMap<String, DocId>,
}

impl ModelRun {
    fn new(model: Model) -> Self {
        let numbers =
            model.documents.iter().map(|(id, document)| (document.external_id.clone(), *id));
        Self { numbers: numbers.collect(), model }
    }

    fn apply(&mut self, change: &Change, number: u8) {
        match change {
            Change::Upsert(key, fields) => {
                self.upsert(document(&external_id(*key), &fields_of(fields), number));
            }
            Change::Extend(key, field) => {
                let external_id = external_id(*key);
                let Some(doc_id) = self.model.doc_id(&external_id) else {
                    return;
                };
                let old = self.model.documents[&doc_id].fields[1..].to_vec();
                self.upsert(extended(&external_id, old, *field, number));
            }
            Change::Delete(key) => {
                if let Some(doc_id) = self.model.doc_id(&external_id(*key)) {
                    self.model.documents.remove(&doc_id);
                }
            }
            Change::DeleteDocIds(doc_ids) => {
                for doc_id in doc_ids {
                    self.model.documents.remove(doc_id);
                }
            }
            Change::Clear => {
                self.model.documents.clear();
                self.numbers.clear();
            }
            Change::SetPrimaryKey(key) => self.model.primary_key = key.map(field_name),
            Change::SetSettings(length) => self.model.settings = settings(*length),
            Change::RegisterField(field) => {
                self.model.fields.insert(format!("object.{}", field_name(*field)));
            }
        }
    }

    fn upsert(&mut self, document: ModelDocument) {
        let doc_id = match self.numbers.get(&document.external_id) {
            Some(doc_id) => *doc_id,
            None => (0..).find(|id| !self.numbers.values().any(|taken| taken == id)).unwrap(),
        };
        self.numbers.insert(document.external_id.clone(), doc_id);
        let counted = document.fields.iter().filter(|field| *field != "_vectors");
        self.model.fields.extend(counted.cloned());
        self.model.documents.insert(doc_id, document);
    }
}
