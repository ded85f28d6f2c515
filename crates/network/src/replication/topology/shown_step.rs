//! The progress step that says which members a change waits for, and their answers. All threads of
//! a change share one: a step ends with those it is nested in, so two threads would end each
//! other's.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use tasks::{Progress, Step};

pub(super) struct ShownStep<'p> {
    progress: &'p Progress,
    state: Mutex<StepState>,
}

#[derive(Default)]
struct StepState {
    /// Members that have not accepted something yet, with the reason.
    untold: BTreeMap<String, String>,
    /// Members that are waited for, and whether they are silent.
    awaited: BTreeMap<String, bool>,
    shown: Option<(String, Step)>,
}

impl<'p> ShownStep<'p> {
    pub fn new(progress: &'p Progress) -> Self {
        Self { progress, state: Mutex::default() }
    }

    /// Records that no member is waited for.
    pub fn clear(&self) {
        *self.state.lock() = StepState::default();
    }

    /// Records that the member has not accepted a message.
    pub fn not_taken(&self, member: &str, why: String) {
        let mut state = self.state.lock();
        state.untold.insert(member.to_owned(), why);
        state.show(self.progress);
    }

    pub fn taken(&self, member: &str) {
        let mut state = self.state.lock();
        if state.untold.remove(member).is_some() {
            state.show(self.progress);
        }
    }

    /// Records the members that are waited for, and the silent ones among them.
    pub fn await_members(&self, members: &BTreeSet<&str>, silent: &BTreeSet<&str>) {
        let mut state = self.state.lock();
        let known = members.iter().map(|member| ((*member).to_owned(), silent.contains(member)));
        state.awaited = known.collect();
        state.show(self.progress);
    }
}

impl StepState {
    fn show(&mut self, progress: &Progress) {
        let text = self.text();
        if self.shown.as_ref().map(|(shown, _)| shown) == text.as_ref() {
            return;
        }
        // The previous step ends first, or the new one would end with it.
        self.shown = None;
        self.shown = text.map(|text| (text.clone(), progress.enter(text, 1)));
    }

    fn text(&self) -> Option<String> {
        let members: BTreeSet<&String> = self.untold.keys().chain(self.awaited.keys()).collect();
        let of_member = |member: &&String| match self.untold.get(*member) {
            Some(why) => format!("`{member}`: {why}"),
            None if self.awaited.get(*member) == Some(&true) => {
                format!("`{member}` (does not answer)")
            }
            None => format!("`{member}`"),
        };
        let named: Vec<String> = members.iter().map(of_member).collect();
        (!named.is_empty()).then(|| format!("waiting for {}", named.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_who_are_waited_for_are_named_whoever_waits() {
        let progress = Progress::new();
        let shown = ShownStep::new(&progress);
        let step = || {
            let steps = progress.view().steps;
            assert!(steps.len() <= 1);
            steps.into_iter().next().map(|step| step.current_step)
        };
        shown.not_taken("c", "it refused".to_owned());
        shown.await_members(&BTreeSet::from(["a", "b"]), &BTreeSet::from(["b"]));
        let expected = "waiting for `a`, `b` (does not answer), `c`: it refused";
        assert_eq!(step().as_deref(), Some(expected));
        shown.taken("c");
        shown.await_members(&BTreeSet::from(["a"]), &BTreeSet::new());
        assert_eq!(step().as_deref(), Some("waiting for `a`"));
        shown.await_members(&BTreeSet::new(), &BTreeSet::new());
        assert_eq!(step(), None);
    }
}
