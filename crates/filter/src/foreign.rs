//! Conditions on documents of another index. The caller that knows that index finds the ids of the
//! matching documents; then `_foreign(by, …)` means `by IN [ids]`. The filter is still displayed as
//! it was sent, since the ids were never spelled out.

use std::sync::Arc;

use crate::{Condition, Filter, Token};

/// The message for a filter with such a condition where only one index is used.
pub const FOREIGN_REFUSED: &str = "Filter condition `_foreign` is not supported for this endpoint.";

/// `_foreign(attribute, filter)`
#[derive(Debug, Clone)]
pub struct Foreign<'f> {
    pub attribute: &'f Token,
    /// The condition on documents of the other index, with its place in the whole text.
    pub filter: Filter,
}

impl Foreign<'_> {
    /// Returns whether the filter refers to a third index.
    pub fn is_nested(&self) -> bool {
        !self.filter.foreign().is_empty()
    }
}

impl Filter {
    /// Returns the foreign conditions without ids in the order of the text, except those nested in
    /// others.
    pub fn foreign(&self) -> Vec<Foreign<'_>> {
        let mut found = Vec::new();
        collect(self.condition(), &mut found);
        found
    }

    /// Returns the filter with lists of ids for the foreign conditions, in their order. A condition
    /// without a list matches nothing.
    #[must_use]
    pub fn with_ids(&self, lists: Vec<Vec<String>>) -> Filter {
        let mut lists = lists.into_iter();
        self.map(|condition| fill_in(condition, &mut lists))
    }
}

fn collect<'f>(condition: &'f Condition, found: &mut Vec<Foreign<'f>>) {
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().for_each(|member| collect(member, found));
        }
        Condition::Not(inner) => collect(inner, found),
        Condition::Foreign { attribute, condition, ids: None } => {
            found.push(Foreign { attribute, filter: Filter::lone((**condition).clone()) });
        }
        _ => {}
    }
}

fn fill_in(condition: &Condition, lists: &mut impl Iterator<Item = Vec<String>>) -> Condition {
    let mut all = |members: &[Condition]| -> Vec<Condition> {
        members.iter().map(|member| fill_in(member, lists)).collect()
    };
    match condition {
        Condition::And(members) => Condition::And(all(members)),
        Condition::Or(members) => Condition::Or(all(members)),
        Condition::Not(inner) => Condition::Not(Box::new(fill_in(inner, lists))),
        Condition::Foreign { attribute, condition, ids: None } => {
            let ids = lists.next().unwrap_or_default().into_iter().map(id_token).collect();
            let (attribute, condition) = (attribute.clone(), condition.clone());
            Condition::Foreign { attribute, condition, ids: Some(ids) }
        }
        other => other.clone(),
    }
}

/// Creates a token for an id, which is not in the text of the filter: it is a text of its own.
fn id_token(id: String) -> Token {
    let end = id.len();
    Token::new(&Arc::from(id), 0..end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filter(text: &str) -> Filter {
        Filter::from_json(&json!(text)).unwrap().unwrap()
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn foreign_conditions_are_listed_in_the_order_of_the_text() {
        let filter =
            filter("a = 1 OR (_foreign(b, x > 2) AND NOT _foreign(c, _foreign(d, y = 1)))");
        let found = filter.foreign();
        let names: Vec<_> = found.iter().map(|foreign| foreign.attribute.value()).collect();
        assert_eq!(names, ["b", "c"]);
        assert_eq!(found[0].filter.to_string(), r#""x" > "2""#);
        assert_eq!([found[0].is_nested(), found[1].is_nested()], [false, true]);
    }

    /// The ids of all foreign conditions, in the order of the text.
    fn ids_in(condition: &Condition) -> Vec<Option<Vec<&str>>> {
        match condition {
            Condition::And(members) | Condition::Or(members) => {
                members.iter().flat_map(ids_in).collect()
            }
            Condition::Not(inner) => ids_in(inner),
            Condition::Foreign { ids, .. } => {
                vec![ids.as_ref().map(|ids| ids.iter().map(Token::value).collect())]
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn lists_of_ids_are_filled_in_and_never_shown() {
        let filter = filter("a = 1 OR (_foreign(b, x > 2) AND NOT _foreign(c, y = 1))");
        assert_eq!(ids_in(filter.condition()), [None, None]);
        let resolved = filter.with_ids(vec![ids(&["7", "x-y"]), ids(&[])]);
        assert!(resolved.foreign().is_empty());
        assert_eq!(ids_in(resolved.condition()), [Some(vec!["7", "x-y"]), Some(vec![])]);
        assert_eq!(
            resolved.to_string(),
            r#"("a" = "1") OR ((_foreign("b", "x" > "2")) AND (NOT (_foreign("c", "y" = "1"))))"#
        );
        assert_eq!(resolved.to_string(), filter.to_string());
        let without = filter.with_ids(Vec::new());
        assert_eq!(ids_in(without.condition()), [Some(vec![]), Some(vec![])]);
        // The other spelling means the same.
        let canonical = resolved.canonical();
        assert_eq!(ids_in(canonical.condition()), ids_in(resolved.condition()));
        // The attribute still stands where it stood.
        let Condition::Or(members) = resolved.condition() else { panic!("an OR") };
        let Condition::And(members) = &members[1] else { panic!("an AND") };
        let Condition::Foreign { attribute, .. } = &members[0] else { panic!("a foreign one") };
        assert!(attribute.error("").starts_with("\n20:21 a = 1 OR"));
    }

    #[test]
    fn a_list_of_filters_can_still_be_lengthened() {
        let list = Filter::from_json(&json!(["_foreign(b, x = 1)", "a = 1"])).unwrap().unwrap();
        let longer = list.with_ids(vec![ids(&["1"])]).and(filter("c = 2"));
        assert_eq!(
            longer.to_string(),
            r#"(_foreign("b", "x" = "1")) AND ("a" = "1") AND ("c" = "2")"#
        );
    }
}
