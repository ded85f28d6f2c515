//! Random operations on a real engine, with restarts, against a naive model in memory. A failure
//! prints the seed and the operations that led to it.

use std::collections::BTreeMap;

use engine::keys::Access;
use model::IndexUid;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use settings::Change;
use tasks::{Content, Method, Status, Swap, Task};

use crate::support::Instance;

const INDEXES: [&str; 3] = ["books", "films", "teas"];

#[derive(Debug, Clone)]
enum Operation {
    Add { index: usize, method: Method, documents: Vec<(u8, u8, i32)> },
    Delete { index: usize, ids: Vec<u8> },
    DeleteWhere { index: usize, field: u8, least: i32 },
    Clear { index: usize },
    CreateIndex { index: usize },
    DeleteIndex { index: usize },
    Swap { left: usize, right: usize },
    Rename { from: usize, to: usize },
    Compact { index: usize },
    Restart,
}

/// Contents of an index: a slot per document number, empty where one was deleted.
#[derive(Debug, Clone, Default, PartialEq)]
struct ModelIndex {
    slots: Vec<Option<Map<String, Value>>>,
    can_be_filtered: bool,
}

impl ModelIndex {
    fn slot_of(&self, id: u8) -> Option<usize> {
        self.slots.iter().position(|slot| slot.as_ref().is_some_and(|d| d["id"] == json!(id)))
    }

    fn put(&mut self, id: u8, method: Method, fields: Map<String, Value>) {
        if let Some(slot) = self.slot_of(id) {
            let older = self.slots[slot].as_mut().expect("the slot is taken");
            match method {
                Method::Replace => *older = fields,
                Method::Update => older.extend(fields),
            }
            return;
        }
        match self.slots.iter().position(Option::is_none) {
            Some(free) => self.slots[free] = Some(fields),
            None => self.slots.push(Some(fields)),
        }
    }

    fn documents(&self) -> Vec<Value> {
        self.slots.iter().flatten().cloned().map(Value::Object).collect()
    }
}

type Model = BTreeMap<String, ModelIndex>;

fn document(id: u8, field: u8, value: i32) -> Map<String, Value> {
    let Value::Object(fields) = json!({ "id": id, format!("f{field}"): value }) else {
        unreachable!("the literal is an object")
    };
    fields
}

/// Applies one operation to both and says whether the model expects it to succeed.
fn apply(
    operation: &Operation,
    instance: &mut Instance,
    model: &mut Model,
) -> Option<(Task, bool)> {
    let name = |index: usize| INDEXES[index].to_owned();
    match operation {
        Operation::Add { index, method, documents } => {
            let held = model.entry(name(*index)).or_default();
            let mut payload = Vec::new();
            for &(id, field, value) in documents {
                let fields = document(id, field, value);
                held.put(id, *method, fields.clone());
                payload.push(Value::Object(fields));
            }
            let json = serde_json::to_string(&payload).expect("JSON");
            Some((instance.add(&name(*index), *method, &json), true))
        }
        Operation::Delete { index, ids } => {
            let held = model.get_mut(&name(*index));
            let exists = held.is_some();
            if let Some(held) = held {
                for id in ids {
                    if let Some(slot) = held.slot_of(*id) {
                        held.slots[slot] = None;
                    }
                }
            }
            let ids = ids.iter().map(u8::to_string).collect();
            let task = instance.enqueue(Content::DocumentDeletion { index_uid: name(*index), ids });
            Some((task, exists))
        }
        Operation::DeleteWhere { index, field, least } => {
            let held = model.entry(name(*index)).or_default();
            if !held.can_be_filtered {
                held.can_be_filtered = true;
                let change = json!({"filterableAttributes": ["f0", "f1", "f2", "f3"]});
                let change = Change::of_many(change).expect("a good body");
                let uid = IndexUid::new(name(*index)).expect("a good name");
                instance.engine().change_settings(uid, change, true, None).expect("it is enqueued");
            }
            let passes = |document: &Map<String, Value>| {
                let value = document.get(&format!("f{field}")).and_then(Value::as_i64);
                value.is_some_and(|value| value >= i64::from(*least))
            };
            for slot in &mut held.slots {
                if slot.as_ref().is_some_and(passes) {
                    *slot = None;
                }
            }
            let filter = json!(format!("f{field} >= {least}"));
            let content = Content::DocumentDeletionByFilter { index_uid: name(*index), filter };
            Some((instance.enqueue(content), true))
        }
        Operation::Clear { index } => {
            let exists = model.get_mut(&name(*index)).map(|held| held.slots.clear()).is_some();
            Some((instance.enqueue(Content::DocumentClear { index_uid: name(*index) }), exists))
        }
        Operation::CreateIndex { index } => {
            let absent = !model.contains_key(&name(*index));
            if absent {
                model.insert(name(*index), ModelIndex::default());
            }
            let content = Content::IndexCreation { index_uid: name(*index), primary_key: None };
            Some((instance.enqueue(content), absent))
        }
        Operation::DeleteIndex { index } => {
            let exists = model.remove(&name(*index)).is_some();
            Some((instance.enqueue(Content::IndexDeletion { index_uid: name(*index) }), exists))
        }
        Operation::Swap { left, right } => {
            let (left, right) = (name(*left), name(*right));
            if left == right {
                return None;
            }
            let both = model.contains_key(&left) && model.contains_key(&right);
            if both {
                let (a, b) = (model.remove(&left), model.remove(&right));
                model.insert(left.clone(), b.expect("checked"));
                model.insert(right.clone(), a.expect("checked"));
            }
            let swaps = vec![Swap { indexes: (left, right), rename: false }];
            Some((instance.enqueue(Content::IndexSwap { swaps }), both))
        }
        Operation::Rename { from, to } => {
            let (from, to) = (name(*from), name(*to));
            if from == to {
                return None;
            }
            let possible = model.contains_key(&from) && !model.contains_key(&to);
            if possible {
                let held = model.remove(&from).expect("checked");
                model.insert(to.clone(), held);
            }
            let content =
                Content::IndexUpdate { index_uid: from, primary_key: None, new_uid: Some(to) };
            Some((instance.enqueue(content), possible))
        }
        Operation::Compact { index } => {
            let exists = model.contains_key(&name(*index));
            Some((instance.enqueue(Content::IndexCompaction { index_uid: name(*index) }), exists))
        }
        Operation::Restart => {
            instance.restart();
            None
        }
    }
}

fn compare(instance: &Instance, model: &Model) {
    for uid in INDEXES {
        let expected = model.get(uid).map(ModelIndex::documents);
        assert_eq!(instance.documents(uid), expected, "the documents of `{uid}`");
    }
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let index = 0..INDEXES.len();
    let method = prop_oneof![Just(Method::Replace), Just(Method::Update)];
    let documents = prop::collection::vec((0..24_u8, 0..4_u8, any::<i32>()), 0..12);
    let operation = prop_oneof![
        8 => (index.clone(), method, documents)
            .prop_map(|(index, method, documents)| Operation::Add { index, method, documents }),
        3 => (index.clone(), prop::collection::vec(0..24_u8, 0..6))
            .prop_map(|(index, ids)| Operation::Delete { index, ids }),
        2 => (index.clone(), 0..4_u8, any::<i32>())
            .prop_map(|(index, field, least)| Operation::DeleteWhere { index, field, least }),
        1 => index.clone().prop_map(|index| Operation::Clear { index }),
        1 => index.clone().prop_map(|index| Operation::CreateIndex { index }),
        1 => index.clone().prop_map(|index| Operation::DeleteIndex { index }),
        1 => (index.clone(), index.clone()).prop_map(|(left, right)| Operation::Swap { left, right }),
        1 => (index.clone(), index.clone()).prop_map(|(from, to)| Operation::Rename { from, to }),
        1 => index.prop_map(|index| Operation::Compact { index }),
        1 => Just(Operation::Restart),
    ];
    prop::collection::vec(operation, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_agrees_with_a_naive_model_one_task_at_a_time(operations in operations()) {
        let mut instance = Instance::new();
        let mut model = Model::new();
        for operation in &operations {
            if let Some((task, succeeds)) = apply(operation, &mut instance, &mut model) {
                let task = instance.wait(&task);
                let expected = if succeeds { Status::Succeeded } else { Status::Failed };
                prop_assert_eq!(task.status, expected, "{:?} ended with {:?}", operation, task.error);
            }
            compare(&instance, &model);
        }
        instance.restart();
        compare(&instance, &model);
    }

    /// Without waiting, tasks are batched; only the final content can be compared, and the
    /// order of the list inside a batch is the queue's business.
    #[test]
    fn batching_changes_nothing_in_the_end(operations in operations()) {
        let mut instance = Instance::new();
        let mut model = Model::new();
        let mut last = None;
        for operation in &operations {
            last = apply(operation, &mut instance, &mut model).map(|(task, _)| task).or(last);
        }
        if let Some(last) = last {
            for uid in 0..=last.uid {
                let task = instance.engine().task(&Access::full(), uid).expect("every task is kept");
                instance.wait(&task);
            }
        }
        for uid in INDEXES {
            let sorted = |documents: Vec<Value>| {
                let mut documents = documents;
                documents.sort_by_key(|document| document["id"].as_u64());
                documents
            };
            let expected = model.get(uid).map(|held| sorted(held.documents()));
            prop_assert_eq!(instance.documents(uid).map(sorted), expected, "`{}`", uid);
        }
    }
}
