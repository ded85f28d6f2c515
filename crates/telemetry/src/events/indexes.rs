//! Index creations, updates and swaps.

use super::Names;
use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::Largest;

/// A request that may name a primary key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedKey(pub Option<Box<str>>);

#[derive(Debug, Default)]
pub(crate) struct NamedKeyTally(Names);

impl Tally for NamedKeyTally {
    type Event = NamedKey;

    fn add(&mut self, NamedKey(name): NamedKey) {
        if let Some(name) = name {
            self.0.add(&name);
        }
    }

    fn report(&self, fields: &mut Fields) {
        let meaning = "The different names of primary keys that requests set.";
        fields.put("primary_key", &self.0, meaning);
    }

    fn text_bytes(&self) -> usize {
        self.0.bytes()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swap {
    pub operations: u64,
}

#[derive(Debug, Default)]
pub(crate) struct SwapTally(Largest);

impl Tally for SwapTally {
    type Event = Swap;

    fn add(&mut self, swap: Swap) {
        self.0.add(swap.operations);
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("swap_operation_number", &self.0, "The most swaps of one request.");
    }
}
