//! Swaps the names of indexes: all of a task's pairs or none.

use std::collections::BTreeSet;

use model::{Code, ServiceError};
use tasks::{Batch, Content, Outcome, Rename, RunError, Swap, TaskOutcome};

use super::{BatchRunner, outcome, single_task};
use crate::indexes::registry::RegistryEdit;

impl BatchRunner {
    pub(super) fn swap_indexes(&self, batch: &Batch) -> Result<Outcome, RunError> {
        let task = single_task(batch)?;
        let Content::IndexSwap { swaps } = &task.content else {
            return Err(ServiceError::internal("an index swap of another kind").into());
        };
        self.check_swaps(swaps)?;
        let mut outcome = outcome(vec![TaskOutcome::Succeeded(task.details.clone())]);
        outcome.renames = swaps
            .iter()
            .map(|Swap { indexes: (from, to), rename }| Rename {
                from: from.clone(),
                to: to.clone(),
                both_ways: !rename,
            })
            .collect();
        let edits = swaps
            .iter()
            .map(|Swap { indexes: (a, b), rename }| match rename {
                true => RegistryEdit::Rename { from: a.clone(), to: b.clone() },
                false => RegistryEdit::Swap { a: a.clone(), b: b.clone() },
            })
            .collect();
        Ok(self.with_registry(outcome, edits))
    }

    fn check_swaps(&self, swaps: &[Swap]) -> Result<(), ServiceError> {
        let exists = |uid: &str| self.indexes.registry.id(uid).is_some();
        let mut missing = BTreeSet::new();
        for Swap { indexes: (left, right), rename } in swaps {
            let needed = if *rename { vec![left] } else { vec![left, right] };
            missing.extend(needed.into_iter().filter(|uid| !exists(uid)));
        }
        if !missing.is_empty() {
            return Err(not_found(&missing));
        }
        let renames = swaps.iter().filter(|swap| swap.rename).map(|swap| &swap.indexes);
        let taken: Vec<&(String, String)> = renames.filter(|(_, to)| exists(to)).collect();
        if taken.is_empty() { Ok(()) } else { Err(already_exist(&taken)) }
    }
}

fn already_exist(taken: &[&(String, String)]) -> ServiceError {
    let message = match taken {
        [(from, to)] => format!(
            "Cannot rename `{from}` to `{to}` as the index already exists. \
             Hint: You can remove `{to}` first and then do your remove."
        ),
        several => {
            let names: BTreeSet<String> = several.iter().map(|(_, to)| format!("`{to}`")).collect();
            let names: Vec<String> = names.into_iter().collect();
            format!(
                "The following indexes are being renamed but cannot because their new name \
                 conflicts with an already existing index: {}. Renaming doesn't overwrite the \
                 other index name.",
                names.join(", ")
            )
        }
    };
    ServiceError::new(Code::IndexAlreadyExists, message)
}

fn not_found(missing: &BTreeSet<&String>) -> ServiceError {
    let names: Vec<String> = missing.iter().map(|uid| format!("`{uid}`")).collect();
    let noun = if names.len() == 1 { "Index" } else { "Indexes" };
    ServiceError::new(Code::IndexNotFound, format!("{noun} {} not found.", names.join(", ")))
}
