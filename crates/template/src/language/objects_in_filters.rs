//! Filters that keep the order of object members. Filters of the library get objects unchanged; the
//! three that compare converted objects are replaced.

use std::cmp::Ordering;
use std::fmt;

use liquid_core::model::{Value, ValueView, ValueViewCmp};
use liquid_core::parser::FilterArguments;
use liquid_core::{
    Display_filter, Error, Expression, Filter, FilterParameters, FilterReflection,
    FromFilterParameters, ParseFilter, Result, Runtime,
};

use super::ordered::OrderedValue;

/// Parser of a filter of the library.
#[derive(Clone)]
pub(super) struct LibraryFilterParser(pub(super) Box<dyn ParseFilter>);

impl ParseFilter for LibraryFilterParser {
    fn parse(&self, arguments: FilterArguments<'_>) -> Result<Box<dyn Filter>> {
        Ok(Box::new(LibraryFilter(self.0.parse(arguments)?)))
    }

    fn reflection(&self) -> &dyn FilterReflection {
        self.0.reflection()
    }
}

#[derive(Debug)]
struct LibraryFilter(Box<dyn Filter>);

impl fmt::Display for LibraryFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Filter for LibraryFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        if input.is_array() {
            return self.0.evaluate(&OrderedValue::of(input), runtime);
        }
        self.0.evaluate(input, runtime)
    }
}

#[derive(Debug, Default, FilterParameters)]
struct PropertyArguments {
    #[parameter(description = "The member that items are compared by.", arg_type = "str")]
    property: Option<Expression>,
}

#[derive(Clone, ParseFilter, FilterReflection)]
#[filter(
    name = "sort",
    description = "The items of an array in their order; capitals come first.",
    parameters(PropertyArguments),
    parsed(SortFilter)
)]
pub(super) struct Sort;

#[derive(Debug, Default, FromFilterParameters, Display_filter)]
#[name = "sort"]
struct SortFilter {
    #[parameters]
    args: PropertyArguments,
}

impl Filter for SortFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let args = self.args.evaluate(runtime)?;
        let property = args.property.as_deref();
        let mut items = items(input, property)?;
        items.sort_by(|a, b| compared(key(a, property), key(b, property)));
        Ok(Value::array(items.iter().map(ValueView::to_value)))
    }
}

#[derive(Clone, ParseFilter, FilterReflection)]
#[filter(
    name = "sort_natural",
    description = "The items of an array in their order, whatever their case.",
    parameters(PropertyArguments),
    parsed(SortNaturalFilter)
)]
pub(super) struct SortNatural;

#[derive(Debug, Default, FromFilterParameters, Display_filter)]
#[name = "sort_natural"]
struct SortNaturalFilter {
    #[parameters]
    args: PropertyArguments,
}

impl Filter for SortNaturalFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let args = self.args.evaluate(runtime)?;
        let property = args.property.as_deref();
        let mut items = items(input, property)?;
        // Nil comes last.
        items.sort_by_cached_key(|item| {
            let key = key(item, property);
            (key.is_nil(), key.to_kstr().to_lowercase())
        });
        Ok(Value::array(items.iter().map(ValueView::to_value)))
    }
}

#[derive(Clone, ParseFilter, FilterReflection)]
#[filter(name = "uniq", description = "Removes duplicate items of an array.", parsed(UniqFilter))]
pub(super) struct Uniq;

#[derive(Debug, Default, Display_filter)]
#[name = "uniq"]
struct UniqFilter;

impl Filter for UniqFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let OrderedValue::Array(items) = OrderedValue::of(input) else {
            return Err(invalid("Array expected"));
        };
        let mut kept: Vec<OrderedValue> = Vec::new();
        for item in items {
            super::budget::take_steps(runtime, kept.len() as u64)?;
            let is_same =
                |other: &OrderedValue| ValueViewCmp::new(other) == ValueViewCmp::new(&item);
            if !kept.iter().any(is_same) {
                kept.push(item);
            }
        }
        Ok(Value::array(kept.iter().map(ValueView::to_value)))
    }
}

/// Returns the items of the input; anything but an array is a single item. A property requires
/// objects.
fn items(input: &dyn ValueView, property: Option<&str>) -> Result<Vec<OrderedValue>> {
    let items = match OrderedValue::of(input) {
        OrderedValue::Array(items) => items,
        OrderedValue::Nil => Vec::new(),
        item => vec![item],
    };
    if property.is_some() && !items.iter().all(ValueView::is_object) {
        return Err(invalid("Array of objects expected"));
    }
    Ok(items)
}

fn key<'i>(item: &'i OrderedValue, property: Option<&str>) -> &'i dyn ValueView {
    match (property, item.as_object()) {
        (Some(property), Some(object)) => object.get(property).unwrap_or(&Value::Nil),
        _ => item,
    }
}

/// Compares two values: nil comes last, values that cannot be compared are ordered by type.
fn compared(a: &dyn ValueView, b: &dyn ValueView) -> Ordering {
    let by_nil = a.is_nil().cmp(&b.is_nil());
    let by_value = || ValueViewCmp::new(a).partial_cmp(&ValueViewCmp::new(b));
    by_nil.then_with(|| kind(a).cmp(kind(b))).then_with(|| by_value().unwrap_or(Ordering::Equal))
}

fn kind(value: &dyn ValueView) -> &'static str {
    match value.type_name() {
        "whole number" | "fractional number" => "number",
        other => other,
    }
}

fn invalid(cause: &'static str) -> Error {
    Error::with_msg("Invalid input").context("cause", cause)
}
