//! Values of templates, whose objects keep the order of their members. Objects of the library do
//! not, so their output, and the vector made from it, would differ between runs.
//!
//! Between filters the library passes its own values, whose objects have no order. There, our
//! objects become arrays: a mark that prints as nothing, then each name and an array of its single
//! value. These print like the object, and [`OrderedValue::of`] converts them back.

use std::collections::HashMap;
use std::fmt;

use liquid_core::model::{
    ArrayView, DisplayCow, KString, KStringCow, Object, ObjectRender, ObjectSource, ObjectView,
    Scalar, ScalarCow, State, Value, ValueView,
};

/// First item of an array that represents an object. No template can produce it.
const MARK: State = State::DefaultValue;
/// Objects with more members have an index.
const FEW: usize = 8;

static NIL: Value = Value::Nil;

#[derive(Debug, Clone)]
pub(crate) enum OrderedValue {
    Nil,
    State(State),
    Scalar(Scalar),
    Array(Vec<OrderedValue>),
    Object(OrderedObject),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct OrderedObject {
    list: Vec<(KString, OrderedValue)>,
    /// Positions by name, if there are many members.
    places: HashMap<KString, usize>,
}

impl OrderedValue {
    pub(crate) fn scalar(value: impl Into<Scalar>) -> Self {
        Self::Scalar(Scalar::new(value))
    }

    /// Copies a value of the library or of ours.
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

fn unpacked(array: &dyn ArrayView) -> OrderedObject {
    let mut items = array.values().skip(1);
    let mut members = Vec::new();
    while let (Some(name), Some(value)) = (items.next(), items.next()) {
        let value =
            value.as_array().and_then(ArrayView::first).map_or(OrderedValue::Nil, OrderedValue::of);
        members.push((name.to_kstr().into_owned(), value));
    }
    members.into_iter().collect()
}

impl FromIterator<(KString, OrderedValue)> for OrderedObject {
    fn from_iter<I: IntoIterator<Item = (KString, OrderedValue)>>(members: I) -> Self {
        let list: Vec<(KString, OrderedValue)> = members.into_iter().collect();
        let places = match list.len() {
            0..=FEW => HashMap::new(),
            _ => list.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect(),
        };
        Self { list, places }
    }
}

impl OrderedObject {
    /// Converts the members to arrays of a name and a value.
    pub(crate) fn into_pairs(self) -> Vec<OrderedValue> {
        let pair = |(name, value)| OrderedValue::Array(vec![OrderedValue::scalar(name), value]);
        self.list.into_iter().map(pair).collect()
    }

    fn find(&self, name: &str) -> Option<&OrderedValue> {
        let found = match self.list.len() {
            0..=FEW => self.list.iter().find(|(known, _)| known.as_str() == name),
            _ => self.list.get(*self.places.get(name)?),
        };
        found.map(|(_, value)| value)
    }
}

impl ValueView for OrderedObject {
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
        // A single member has no order.
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

impl ObjectView for OrderedObject {
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
        self.find(name).map(OrderedValue::as_view)
    }
}

impl ValueView for OrderedValue {
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
