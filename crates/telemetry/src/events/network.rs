//! Changes of the network.

use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::Largest;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetworkUpdate {
    /// Number of remotes after the request.
    pub size: u64,
    /// True if this instance is one of them.
    pub has_self: bool,
}

#[derive(Debug, Default)]
pub(crate) struct NetworkTally {
    size: Largest,
    has_self: bool,
}

impl Tally for NetworkTally {
    type Event = NetworkUpdate;

    fn add(&mut self, update: NetworkUpdate) {
        self.size.add(update.size);
        self.has_self |= update.has_self;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("network_size", &self.size, "The most remotes that there were.");
        fields.put("network_has_self", self.has_self, "Whether the instance was given a name.");
    }
}
