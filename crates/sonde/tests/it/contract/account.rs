//! Summary of the scenarios that were played.

use std::collections::BTreeSet;
use std::fmt;

#[derive(Debug, Default)]
pub struct Account {
    pub scenarios: usize,
    pub steps: usize,
    /// Values that were compared with what the contract says.
    pub fields: usize,
    /// Scenarios that need a server with other launch options than the one given.
    pub left_out: usize,
    pub failed: usize,
    /// Method and path of every request that was answered as it should be.
    pub routes: BTreeSet<(String, String)>,
    /// Every error code that the contract was seen to give.
    pub codes: BTreeSet<String>,
    pub complaints: Vec<String>,
}

impl Account {
    pub fn add(&mut self, other: Self) {
        self.scenarios += other.scenarios;
        self.steps += other.steps;
        self.fields += other.fields;
        self.left_out += other.left_out;
        self.failed += other.failed;
        self.routes.extend(other.routes);
        self.codes.extend(other.codes);
        self.complaints.extend(other.complaints);
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenarios, steps, fields, left_out, failed, .. } = self;
        let codes = self.codes.len();
        write!(
            formatter,
            "scenarios {scenarios}, steps {steps}, compared fields {fields}, error codes {codes}, \
             left out {left_out}, failed {failed}"
        )
    }
}
