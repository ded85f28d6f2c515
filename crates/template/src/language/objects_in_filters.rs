//! Filters and objects. The library's filters are given objects as they are, with the order of
//! their members; the three that compare what they have made of an object already are ours.

use std::cmp::Ordering;
use std::fmt;

use liquid_core::model::{Value, ValueView, ValueViewCmp};
use liquid_core::parser::FilterArguments;
use liquid_core::{
    Display_filter, Error, Expression, Filter, FilterParameters, FilterReflection,
    FromFilterParameters, ParseFilter, Result, Runtime,
};

use super::ordered::Ordered;

/// A filter of the library.
#[derive(Clone)]
pub(super) struct OfLibrary(pub(super) Box<dyn ParseFilter>);

impl ParseFilter for OfLibrary {
    fn parse(&self, arguments: FilterArguments<'_>) -> Result<Box<dyn Filter>> {
        Ok(Box::new(OfLibraryFilter(self.0.parse(arguments)?)))
    }

    fn reflection(&self) -> &dyn FilterReflection {
        self.0.reflection()
    }
}

#[derive(Debug)]
struct OfLibraryFilter(Box<dyn Filter>);

impl fmt::Display for OfLibraryFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Filter for OfLibraryFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        match input.is_array() {
            true => self.0.evaluate(&Ordered::of(input), runtime),
            false => self.0.evaluate(input, runtime),
        }
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
        // What is nil comes last.
        items.sort_by_cached_key(|item| {
            let key = key(item, property);
            (key.is_nil(), key.to_kstr().to_lowercase())
        });
        Ok(Value::array(items.iter().map(ValueView::to_value)))
    }
}

#[derive(Clone, ParseFilter, FilterReflection)]
#[filter(
    name = "uniq",
    description = "The items of an array without those that came before.",
    parsed(UniqFilter)
)]
pub(super) struct Uniq;

#[derive(Debug, Default, Display_filter)]
#[name = "uniq"]
struct UniqFilter;

impl Filter for UniqFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let Ordered::Array(items) = Ordered::of(input) else {
            return Err(invalid("Array expected"));
        };
        let mut kept: Vec<Ordered> = Vec::new();
        for item in items {
            super::budget::take_steps(runtime, kept.len() as u64)?;
            let is_same = |other: &Ordered| ValueViewCmp::new(other) == ValueViewCmp::new(&item);
            if !kept.iter().any(is_same) {
                kept.push(item);
            }
        }
        Ok(Value::array(kept.iter().map(ValueView::to_value)))
    }
}

/// What is no array is one item. Only objects have a property.
fn items(input: &dyn ValueView, property: Option<&str>) -> Result<Vec<Ordered>> {
    let items = match Ordered::of(input) {
        Ordered::Array(items) => items,
        Ordered::Nil => Vec::new(),
        item => vec![item],
    };
    match property.is_some() && !items.iter().all(ValueView::is_object) {
        true => Err(invalid("Array of objects expected")),
        false => Ok(items),
    }
}

fn key<'i>(item: &'i Ordered, property: Option<&str>) -> &'i dyn ValueView {
    match (property, item.as_object()) {
        (Some(property), Some(object)) => object.get(property).unwrap_or(&Value::Nil),
        _ => item,
    }
}

/// What is nil comes last; what cannot be compared goes by its kind.
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
