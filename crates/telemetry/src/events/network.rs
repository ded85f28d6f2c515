//! Changes of the network.

use crate::entry::Tally;
use crate::metrics::Largest;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetworkUpdate {
    /// How many remotes there are after the request.
    pub size: u64,
    /// This instance is one of them.
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

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put("network_size", &self.size, "The most remotes that there were.");
        sheet.put("network_has_self", self.has_self, "Whether the instance was given a name.");
    }
}
