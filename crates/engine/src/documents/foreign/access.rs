//! Rights of a caller to the indexes that foreign keys lead to. A foreign key is a setting of one
//! index and shows documents of another one, so the caller needs access to both.

use std::collections::BTreeMap;
use std::sync::Arc;

use auth::{Access, Action};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::common::search_access::{IndexAccess, SearchAccess};

/// Rights to one foreign index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ForeignRights {
    /// Its documents are not joined, and filters cannot use it.
    Denied,
    /// Rights of a search: the displayed attributes of the documents that pass the filter.
    Displayed { filter: Option<Value> },
    /// Filters may also use attributes that are not displayed, since the caller can read them
    /// anyway.
    Whole,
}

/// Source of `ForeignRights`. The default denies everything.
#[derive(Debug, Clone, Default)]
pub struct ForeignAccess(Option<Arc<Caller>>);

#[derive(Debug)]
enum Caller {
    Key(Access),
    Conversation(Arc<dyn SearchAccess>),
    /// Another instance with its own key, for a client whose rights it passes on.
    Instance {
        access: Access,
        rights: BTreeMap<String, ForeignRights>,
    },
}

impl ForeignAccess {
    /// Returns the rights of a caller of this instance.
    pub fn of(access: &Access) -> Self {
        Self(Some(Arc::new(Caller::Key(access.clone()))))
    }

    /// Returns the rights of a client of another instance. Both the key of that instance and the
    /// rights it passes on have to allow an index.
    pub fn of_instance(access: &Access, rights: BTreeMap<String, ForeignRights>) -> Self {
        Self(Some(Arc::new(Caller::Instance { access: access.clone(), rights })))
    }

    pub(crate) fn of_conversation(access: &Arc<dyn SearchAccess>) -> Self {
        Self(Some(Arc::new(Caller::Conversation(Arc::clone(access)))))
    }

    pub fn to_index(&self, uid: &str) -> ForeignRights {
        match self.0.as_deref() {
            None => ForeignRights::Denied,
            Some(Caller::Key(access)) => rights_of(access, uid),
            Some(Caller::Conversation(access)) => match access.to_index(uid) {
                IndexAccess::Denied => ForeignRights::Denied,
                IndexAccess::Full => ForeignRights::Displayed { filter: None },
                IndexAccess::Filtered(filter) => ForeignRights::Displayed { filter: Some(filter) },
            },
            Some(Caller::Instance { access, rights }) => {
                let passed_on = rights.get(uid).cloned().unwrap_or(ForeignRights::Denied);
                rights_of(access, uid).and(passed_on)
            }
        }
    }

    /// Returns whether another instance has to know the rights of this caller before it joins
    /// documents.
    pub(crate) fn is_limited(&self) -> bool {
        match self.0.as_deref() {
            Some(Caller::Key(access)) => !access.is_to_all_indexes(),
            None | Some(Caller::Conversation(_) | Caller::Instance { .. }) => true,
        }
    }
}

impl ForeignRights {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Denied, _) | (_, Self::Denied) => Self::Denied,
            (Self::Whole, other) | (other, Self::Whole) => other,
            (Self::Displayed { filter: Some(one) }, Self::Displayed { filter: Some(other) }) => {
                Self::Displayed { filter: Some(both(one, other)) }
            }
            (Self::Displayed { filter: one }, Self::Displayed { filter: other }) => {
                Self::Displayed { filter: one.or(other) }
            }
        }
    }
}

/// Returns a filter array, whose elements all have to hold.
fn both(one: Value, other: Value) -> Value {
    let elements = |filter| match filter {
        Value::Array(all) => all,
        one => vec![one],
    };
    Value::Array(elements(one).into_iter().chain(elements(other)).collect())
}

fn rights_of(access: &Access, uid: &str) -> ForeignRights {
    if !access.is_to_index(uid) {
        return ForeignRights::Denied;
    }
    // A token never reads documents, although the key that signed it may.
    if !access.is_of_tenant() && access.allows(Action::DocumentsGet) {
        return ForeignRights::Whole;
    }
    match access.allows(Action::Search) {
        true => ForeignRights::Displayed { filter: access.filter(uid).cloned() },
        false => ForeignRights::Denied,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn displayed(filter: Option<&str>) -> ForeignRights {
        ForeignRights::Displayed { filter: filter.map(Value::from) }
    }

    #[test]
    fn without_a_caller_nothing_is_joined() {
        assert_eq!(ForeignAccess::default().to_index("people"), ForeignRights::Denied);
        assert_eq!(ForeignAccess::of(&Access::full()).to_index("people"), ForeignRights::Whole);
        assert_eq!(ForeignAccess::of(&Access::nothing()).to_index("people"), ForeignRights::Denied);
    }

    #[test]
    fn an_instance_passes_on_no_more_than_it_has_itself() {
        let rights = BTreeMap::from([
            ("people".to_owned(), displayed(Some("a = 1"))),
            ("towns".to_owned(), ForeignRights::Whole),
        ]);
        let of = |access: &Access| ForeignAccess::of_instance(access, rights.clone());
        assert_eq!(of(&Access::full()).to_index("people"), displayed(Some("a = 1")));
        assert_eq!(of(&Access::full()).to_index("towns"), ForeignRights::Whole);
        assert_eq!(of(&Access::full()).to_index("vault"), ForeignRights::Denied);
        assert_eq!(of(&Access::nothing()).to_index("towns"), ForeignRights::Denied);
    }

    #[test]
    fn rights_are_those_that_both_have() {
        let (one, other) = (displayed(Some("a = 1")), displayed(Some("b = 2")));
        let both = ForeignRights::Displayed { filter: Some(json!(["a = 1", "b = 2"])) };
        assert_eq!(one.clone().and(other), both);
        assert_eq!(one.clone().and(displayed(None)), one);
        assert_eq!(displayed(None).and(ForeignRights::Whole), displayed(None));
        assert_eq!(ForeignRights::Whole.and(ForeignRights::Denied), ForeignRights::Denied);
    }
}
