//! Values as templates see them: objects keep the order of their members. Those of the library do
//! not, and what one of them prints would differ from run to run, and with it the vector that is
//! made of it.
//!
//! The library hands its own values around between filters, where an object has no order. So one
//! of ours becomes an array there: a mark that prints as nothing, then each name and an array of
//! its one value. It prints as the object does, and [`Ordered::of`] makes the object of it again.

use std::collections::HashMap;
use std::fmt;

use liquid_core::model::{
    ArrayView, DisplayCow, KString, KStringCow, Object, ObjectRender, ObjectSource, ObjectView,
    Scalar, ScalarCow, State, Value, ValueView,
};

/// Begins the array that stands for an object. No template can write it.
const MARK: State = State::DefaultValue;
/// Larger objects have an index.
const FEW: usize = 8;

static NIL: Value = Value::Nil;

#[derive(Debug, Clone)]
pub(crate) enum Ordered {
    Nil,
    State(State),
    Scalar(Scalar),
    Array(Vec<Ordered>),
    Object(Members),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    list: Vec<(KString, Ordered)>,
    /// Where they are, if there are many.
    places: HashMap<KString, usize>,
}

impl Ordered {
    pub(crate) fn scalar(value: impl Into<Scalar>) -> Self {
        Self::Scalar(Scalar::new(value))
    }

    /// A copy of a value, whoever made it.
    pub(crate) fn of(view: &dyn ValueView) -> Self {
        if let Some(scalar) = view.as_scalar() {
            Self::Scalar(scalar.into_owned())
        } else if let Some(array) = view.as_array() {
            match array.first().and_then(ValueView::as_state) {
                Some(MARK) => Self::Object(unpacked(array)),
                _ => Self::Array(array.values().map(Self::of).collect()),
            }
        } else if let Some(object) = view.as_object() {
            let member = |(name, value): (KStringCow<'_>, _)| (name.into_owned(), Self::of(value));
            Self::Object(object.iter().map(member).collect())
        } else if let Some(state) = view.as_state() {
            Self::State(state)
        } else {
            Self::Nil
        }
    }

    pub(crate) fn as_view(&self) -> &dyn ValueView {
        match self {
            Self::Nil => &NIL,
            Self::State(state) => state,
            Self::Scalar(scalar) => scalar,
            Self::Array(items) => items,
            Self::Object(members) => members,
        }
    }
}

fn unpacked(array: &dyn ArrayView) -> Members {
    let mut items = array.values().skip(1);
    let mut members = Vec::new();
    while let (Some(name), Some(value)) = (items.next(), items.next()) {
        let value = value.as_array().and_then(ArrayView::first).map_or(Ordered::Nil, Ordered::of);
        members.push((name.to_kstr().into_owned(), value));
    }
    members.into_iter().collect()
}

impl FromIterator<(KString, Ordered)> for Members {
    fn from_iter<I: IntoIterator<Item = (KString, Ordered)>>(members: I) -> Self {
        let list: Vec<(KString, Ordered)> = members.into_iter().collect();
        let places = match list.len() {
            0..=FEW => HashMap::new(),
            _ => list.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect(),
        };
        Self { list, places }
    }
}

impl Members {
    /// Arrays of a name and a value.
    pub(crate) fn into_pairs(self) -> Vec<Ordered> {
        let pair = |(name, value)| Ordered::Array(vec![Ordered::scalar(name), value]);
        self.list.into_iter().map(pair).collect()
    }

    fn find(&self, name: &str) -> Option<&Ordered> {
        let found = match self.list.len() {
            0..=FEW => self.list.iter().find(|(known, _)| known.as_str() == name),
            _ => self.list.get(*self.places.get(name)?),
        };
        found.map(|(_, value)| value)
    }
}

impl ValueView for Members {
    fn as_debug(&self) -> &dyn fmt::Debug {
        self
    }

    fn render(&self) -> DisplayCow<'_> {
        DisplayCow::Owned(Box::new(ObjectRender::new(self)))
    }

    fn source(&self) -> DisplayCow<'_> {
        DisplayCow::Owned(Box::new(ObjectSource::new(self)))
    }

    fn type_name(&self) -> &'static str {
        "object"
    }

    fn query_state(&self, state: State) -> bool {
        match state {
            State::Truthy => true,
            State::DefaultValue | State::Empty | State::Blank => self.list.is_empty(),
        }
    }

    fn to_kstr(&self) -> KStringCow<'_> {
        KStringCow::from_string(self.render().to_string())
    }

    fn to_value(&self) -> Value {
        // One member has no order.
        if self.list.len() < 2 {
            let members = self.list.iter().map(|(name, value)| (name.clone(), value.to_value()));
            return Value::Object(members.collect::<Object>());
        }
        let members = self.list.iter().flat_map(|(name, value)| {
            [Value::scalar(name.clone()), Value::Array(vec![value.to_value()])]
        });
        Value::array(std::iter::once(Value::State(MARK)).chain(members))
    }

    fn as_object(&self) -> Option<&dyn ObjectView> {
        Some(self)
    }
}

impl ObjectView for Members {
    fn as_value(&self) -> &dyn ValueView {
        self
    }

    fn size(&self) -> i64 {
        self.list.len() as i64
    }

    fn keys<'k>(&'k self) -> Box<dyn Iterator<Item = KStringCow<'k>> + 'k> {
        Box::new(self.list.iter().map(|(name, _)| name.as_ref().into()))
    }

    fn values<'k>(&'k self) -> Box<dyn Iterator<Item = &'k dyn ValueView> + 'k> {
        Box::new(self.list.iter().map(|(_, value)| value.as_view()))
    }

    fn iter<'k>(&'k self) -> Box<dyn Iterator<Item = (KStringCow<'k>, &'k dyn ValueView)> + 'k> {
        Box::new(self.list.iter().map(|(name, value)| (name.as_ref().into(), value.as_view())))
    }

    fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn get<'s>(&'s self, name: &str) -> Option<&'s dyn ValueView> {
        self.find(name).map(Ordered::as_view)
    }
}

impl ValueView for Ordered {
    fn as_debug(&self) -> &dyn fmt::Debug {
        self
    }

    fn render(&self) -> DisplayCow<'_> {
        self.as_view().render()
    }

    fn source(&self) -> DisplayCow<'_> {
        self.as_view().source()
    }

    fn type_name(&self) -> &'static str {
        self.as_view().type_name()
    }

    fn query_state(&self, state: State) -> bool {
        self.as_view().query_state(state)
    }

    fn to_kstr(&self) -> KStringCow<'_> {
        self.as_view().to_kstr()
    }

    fn to_value(&self) -> Value {
        self.as_view().to_value()
    }

    fn as_scalar(&self) -> Option<ScalarCow<'_>> {
        self.as_view().as_scalar()
    }

    fn as_array(&self) -> Option<&dyn ArrayView> {
        self.as_view().as_array()
    }

    fn as_object(&self) -> Option<&dyn ObjectView> {
        self.as_view().as_object()
    }

    fn as_state(&self) -> Option<State> {
        self.as_view().as_state()
    }

    fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }
}
