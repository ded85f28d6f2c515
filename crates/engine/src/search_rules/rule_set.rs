//! All rules in memory: immutable, so that searches hold them without a lock, and in the order of
//! precedence.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::compiled_rule::{CompiledRule, RulePin};
use super::limits::RuleLimits;
use super::rule::Rule;
use super::rule_facts::RuleFacts;

#[derive(Debug, Default)]
pub(crate) struct RuleSet {
    rules: BTreeMap<String, Arc<CompiledRule>>,
    /// Active rules by precedence.
    active: Vec<Arc<CompiledRule>>,
    limits: RuleLimits,
}

/// A step of a change. The steps of a change are applied in order.
#[derive(Debug, Clone)]
pub(crate) enum RuleEdit {
    Put(Arc<CompiledRule>),
    Remove(String),
    Clear,
}

impl RuleEdit {
    pub fn put(rule: Rule) -> Self {
        RuleEdit::Put(Arc::new(CompiledRule::new(rule)))
    }
}

/// A rule set being changed.
#[derive(Debug)]
pub(crate) struct RuleSetBuilder {
    rules: BTreeMap<String, Arc<CompiledRule>>,
    limits: RuleLimits,
}

impl RuleSetBuilder {
    pub fn get(&self, uid: &str) -> Option<&Rule> {
        self.rules.get(uid).map(|ready| &ready.rule)
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    pub fn apply(&mut self, edit: RuleEdit) {
        match edit {
            RuleEdit::Put(ready) => {
                self.rules.insert(ready.rule.uid.clone(), ready);
            }
            RuleEdit::Remove(uid) => {
                self.rules.remove(&uid);
            }
            RuleEdit::Clear => self.rules.clear(),
        }
    }

    pub fn finish(self) -> RuleSet {
        let is_active = |ready: &&Arc<CompiledRule>| ready.rule.active;
        let mut active: Vec<Arc<CompiledRule>> =
            self.rules.values().filter(is_active).cloned().collect();
        active.sort_by(|one, other| one.rank().cmp(&other.rank()));
        active.truncate(self.limits.active_rules);
        RuleSet { rules: self.rules, active, limits: self.limits }
    }
}

impl RuleSet {
    pub fn new(rules: Vec<Rule>, limits: RuleLimits) -> Self {
        let mut builder = Self { limits, ..Self::default() }.builder();
        rules.into_iter().for_each(|rule| builder.apply(RuleEdit::put(rule)));
        builder.finish()
    }

    pub fn builder(&self) -> RuleSetBuilder {
        RuleSetBuilder { rules: self.rules.clone(), limits: self.limits }
    }

    pub fn limits(&self) -> RuleLimits {
        self.limits
    }

    pub fn get(&self, uid: &str) -> Option<&Rule> {
        self.rules.get(uid).map(|ready| &ready.rule)
    }

    /// Returns the rules in byte order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.values().map(|ready| &ready.rule)
    }

    /// Returns whether no search can be affected.
    pub fn is_idle(&self) -> bool {
        self.active.is_empty()
    }

    /// Returns the pins for an index, by precedence.
    pub fn pins<'b>(
        &'b self,
        index_uid: &'b str,
        facts: &'b RuleFacts<'b>,
    ) -> impl Iterator<Item = RulePin<'b>> {
        let applying = self.active.iter().filter(|ready| ready.applies(facts));
        applying.flat_map(|ready| ready.pins(index_uid)).take(self.limits.pin_actions)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::OffsetDateTime;

    use super::*;

    fn rule(uid: &str, precedence: Option<u64>, pins: &[(&str, usize)]) -> Rule {
        let actions = pins.iter().map(|(id, position)| {
            json!({ "selector": { "id": id }, "action": { "type": "pin", "position": position } })
        });
        let mut rule = Rule::new(uid, OffsetDateTime::UNIX_EPOCH);
        rule.precedence = precedence;
        rule.actions = actions.map(|action| serde_json::from_value(action).unwrap()).collect();
        rule
    }

    fn book_of(rules: Vec<Rule>) -> RuleSet {
        RuleSet::new(rules, RuleLimits::default())
    }

    fn pinned(rule_set: &RuleSet, index: &str) -> Vec<(String, usize)> {
        let facts = RuleFacts::new(None, None, OffsetDateTime::UNIX_EPOCH, RuleLimits::default());
        rule_set.pins(index, &facts).map(|pin| (pin.id.to_owned(), pin.position)).collect()
    }

    #[test]
    fn the_lower_precedence_comes_first_and_none_last() {
        let rules = [("a", None), ("b", Some(7)), ("c", Some(0)), ("d", Some(7)), ("e", None)];
        let rules = rules.map(|(uid, precedence)| rule(uid, precedence, &[(uid, 0)]));
        let rule_set = book_of(rules.to_vec());
        let order: Vec<String> = pinned(&rule_set, "i").into_iter().map(|(id, _)| id).collect();
        assert_eq!(order, ["c", "b", "d", "a", "e"]);
        let facts = RuleFacts::new(None, None, OffsetDateTime::UNIX_EPOCH, RuleLimits::default());
        let precedences: Vec<u64> = rule_set.pins("i", &facts).map(|pin| pin.precedence).collect();
        assert_eq!(precedences, [0, 7, 7, u64::MAX, u64::MAX]);
    }

    fn edited(rule_set: &RuleSet, edits: impl IntoIterator<Item = RuleEdit>) -> RuleSet {
        let mut builder = rule_set.builder();
        edits.into_iter().for_each(|edit| builder.apply(edit));
        builder.finish()
    }

    #[test]
    fn edits_follow_each_other() {
        let rule_set = book_of(vec![rule("a", None, &[("1", 0)]), rule("b", None, &[("2", 0)])]);
        let inactive = Rule { active: false, ..rule("a", None, &[("3", 0)]) };
        let edits = [RuleEdit::put(inactive), RuleEdit::Remove("never".to_owned())];
        let changed = edited(&rule_set, edits);
        assert_eq!(pinned(&changed, "i"), [("2".to_owned(), 0)]);
        assert_eq!(changed.iter().count(), 2);
        let gone = edited(&changed, [RuleEdit::Remove("b".to_owned())]);
        assert!(gone.is_idle() && gone.get("a").is_some() && gone.get("b").is_none());
        let cleared = edited(&changed, [RuleEdit::Clear, RuleEdit::put(rule("z", None, &[]))]);
        assert_eq!(cleared.iter().map(|rule| rule.uid.as_str()).collect::<Vec<_>>(), ["z"]);
        // The previous set is unchanged.
        assert_eq!(pinned(&rule_set, "i").len(), 2);
    }

    #[test]
    fn a_rule_can_be_for_one_index() {
        let mut only = rule("a", None, &[("1", 0), ("2", 1)]);
        only.actions[0].selector.index_uid = Some("shoes".to_owned());
        let rule_set = book_of(vec![only]);
        assert_eq!(pinned(&rule_set, "shoes").len(), 2);
        assert_eq!(pinned(&rule_set, "hats"), [("2".to_owned(), 1)]);
    }

    #[test]
    fn so_many_rules_and_pins_are_looked_at() {
        let ids: Vec<String> = (0..150).map(|id| id.to_string()).collect();
        let pins: Vec<(&str, usize)> = ids.iter().map(|id| (id.as_str(), 0)).collect();
        let rule_set = book_of(vec![rule("a", Some(1), &pins[..99]), rule("b", None, &pins[99..])]);
        assert_eq!(pinned(&rule_set, "i").len(), 100);
        let many = (0..=1000u64).map(|place| {
            let pins: &[(&str, usize)] = if place < 999 { &[] } else { &[("1", 0)] };
            rule(&format!("{place:05}"), Some(place), pins)
        });
        assert_eq!(pinned(&book_of(many.collect()), "i").len(), 1);
    }

    #[test]
    fn other_limits_can_be_set() {
        let rules =
            || vec![rule("a", Some(1), &[("1", 0), ("2", 1)]), rule("b", None, &[("3", 0)])];
        let few = RuleLimits { active_rules: 1, ..RuleLimits::default() };
        let mut rule_set = RuleSet::new(rules(), few);
        assert_eq!(pinned(&rule_set, "i").len(), 2);
        rule_set = edited(&rule_set, [RuleEdit::put(rule("c", Some(0), &[("4", 0)]))]);
        assert_eq!(pinned(&rule_set, "i"), [("4".to_owned(), 0)]);
        let few = RuleLimits { pin_actions: 1, ..RuleLimits::default() };
        assert_eq!(pinned(&RuleSet::new(rules(), few), "i"), [("1".to_owned(), 0)]);
    }
}
