//! The body that creates or changes a rule. Errors have the code of the member, but two members
//! that exclude each other are a bad request.

use std::collections::BTreeMap;

use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Value, ValueKind, ValuePointerRef,
    take_cf_content,
};
use engine::search_rules::{
    Action, ActionKind, Conditions, FilterCondition, QueryCondition, RulePatch, Selector,
    TimeCondition,
};
use model::{IndexUid, Patch};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::http::field_error::{FieldError, body_code, string};
use crate::http::json::BodyError;

type ConditionsError = body_code!(InvalidDynamicSearchRuleConditions);
type ActionsError = body_code!(InvalidDynamicSearchRuleActions);

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
pub(super) struct RuleBody {
    #[deserr(default, error = body_code!(InvalidDynamicSearchRuleDescription))]
    description: Patch<String>,
    #[deserr(default, error = body_code!(InvalidDynamicSearchRulePriority))]
    precedence: Patch<u64>,
    #[deserr(default, error = body_code!(InvalidDynamicSearchRuleActive))]
    active: Patch<bool>,
    #[deserr(default, error = ConditionsError)]
    conditions: Patch<ConditionsBody>,
    #[deserr(default, error = ActionsError)]
    actions: Patch<Vec<ActionBody>>,
}

#[derive(Debug, Deserr)]
#[deserr(error = ConditionsError, rename_all = camelCase, deny_unknown_fields)]
struct ConditionsBody {
    #[deserr(default)]
    time: Option<TimeBody>,
    #[deserr(default)]
    query: Option<QueryBody>,
    #[deserr(default)]
    filter: Option<FilterBody>,
}

#[derive(Debug, Deserr)]
#[deserr(
    error = ConditionsError,
    rename_all = camelCase,
    deny_unknown_fields,
    validate = check_time -> BodyError
)]
struct TimeBody {
    #[deserr(default)]
    start: Option<Date>,
    #[deserr(default)]
    end: Option<Date>,
}

#[derive(Debug, Deserr)]
#[deserr(
    error = ConditionsError,
    rename_all = camelCase,
    deny_unknown_fields,
    validate = check_query -> BodyError
)]
struct QueryBody {
    #[deserr(default)]
    is_empty: Option<bool>,
    #[deserr(default)]
    words: Option<String>,
}

#[derive(Debug, Deserr)]
#[deserr(error = ConditionsError, rename_all = camelCase, deny_unknown_fields)]
struct FilterBody {
    values: BTreeMap<String, FilterValue>,
}

#[derive(Debug, Deserr)]
#[deserr(error = ActionsError, rename_all = camelCase, deny_unknown_fields)]
struct ActionBody {
    selector: SelectorBody,
    action: ActionKindBody,
}

#[derive(Debug, Deserr)]
#[deserr(error = ActionsError, rename_all = camelCase, deny_unknown_fields)]
struct SelectorBody {
    #[deserr(default)]
    index_uid: Option<IndexUid>,
    id: String,
}

#[derive(Debug, Deserr)]
#[deserr(error = ActionsError, tag = "type", rename_all = camelCase, deny_unknown_fields)]
enum ActionKindBody {
    Pin { position: usize },
}

fn check_query(query: QueryBody, at: ValuePointerRef<'_>) -> Result<QueryBody, BodyError> {
    match (query.is_empty, &query.words) {
        (Some(true), Some(_)) => {
            Err(FieldError::value("either `isEmpty` or `words` can be used, not both at once", at))
        }
        _ => Ok(query),
    }
}

fn check_time(time: TimeBody, at: ValuePointerRef<'_>) -> Result<TimeBody, BodyError> {
    match (&time.start, &time.end) {
        (Some(Date(start)), Some(Date(end))) if end <= start => Err(FieldError::value(
            format!("`end` (`{end}`) should be later than `start` (`{start}`)"),
            at,
        )),
        _ => Ok(time),
    }
}

/// A date and time with its offset.
#[derive(Debug)]
struct Date(OffsetDateTime);

impl Deserr<ConditionsError> for Date {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, ConditionsError> {
        let text: String = string(value, at)?;
        OffsetDateTime::parse(&text, &Rfc3339).map(Date).map_err(|_| {
            // The message offers forms that are not accepted; clients know it like this.
            let reason = format!(
                "`{text}` is not a valid date. It should follow the RFC 3339 format to represents \
                 a date or datetime in the future or specified as a null value. e.g. \
                 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n"
            );
            FieldError::value(reason, at)
        })
    }
}

/// A value that a filter can require of an attribute.
#[derive(Debug)]
struct FilterValue(serde_json::Value);

impl<E: DeserializeError> Deserr<E> for FilterValue {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        match value {
            actual @ (Value::Null | Value::Sequence(_) | Value::Map(_)) => {
                let accepted = &[
                    ValueKind::String,
                    ValueKind::Integer,
                    ValueKind::NegativeInteger,
                    ValueKind::Float,
                    ValueKind::Boolean,
                ];
                let kind = ErrorKind::IncorrectValueKind { actual, accepted };
                Err(take_cf_content(E::error(None, kind, at)))
            }
            scalar => Ok(Self(scalar.into())),
        }
    }
}

impl RuleBody {
    pub fn into_patch(self) -> RulePatch {
        let all_actions =
            |actions: Vec<ActionBody>| actions.into_iter().map(Action::from).collect();
        RulePatch {
            description: self.description,
            precedence: self.precedence,
            active: self.active,
            conditions: self.conditions.map(Conditions::from),
            actions: self.actions.map(all_actions),
        }
    }
}

impl From<ConditionsBody> for Conditions {
    fn from(body: ConditionsBody) -> Self {
        let date = |date: Date| date.0;
        Self {
            time: body
                .time
                .map(|time| TimeCondition { start: time.start.map(date), end: time.end.map(date) }),
            query: body
                .query
                .map(|query| QueryCondition { is_empty: query.is_empty, words: query.words }),
            filter: body.filter.map(|filter| {
                let values = filter.values.into_iter().map(|(name, value)| (name, value.0));
                FilterCondition { values: values.collect() }
            }),
        }
    }
}

impl From<ActionBody> for Action {
    fn from(ActionBody { selector, action }: ActionBody) -> Self {
        let ActionKindBody::Pin { position } = action;
        Self {
            selector: Selector {
                index_uid: selector.index_uid.map(IndexUid::into_string),
                id: selector.id,
            },
            action: ActionKind::Pin { position },
        }
    }
}
