//! The two filters whose result can be as long as the product of their inputs. They charge its
//! length to the budget beforehand.

use liquid_core::model::{Value, ValueView};
use liquid_core::{
    Display_filter, Error, Expression, Filter, FilterParameters, FilterReflection,
    FromFilterParameters, ParseFilter, Result, Runtime,
};

use super::budget::take_bytes;

#[derive(Debug, FilterParameters)]
struct ReplaceArguments {
    #[parameter(description = "The text to search.", arg_type = "str")]
    search: Expression,
    #[parameter(description = "What to put in its place; nothing if not given.", arg_type = "str")]
    replace: Option<Expression>,
}

#[derive(Clone, ParseFilter, FilterReflection)]
#[filter(
    name = "replace",
    description = "Replaces every occurrence of a text.",
    parameters(ReplaceArguments),
    parsed(ReplaceFilter)
)]
pub(super) struct Replace;

#[derive(Debug, FromFilterParameters, Display_filter)]
#[name = "replace"]
struct ReplaceFilter {
    #[parameters]
    args: ReplaceArguments,
}

impl Filter for ReplaceFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let args = self.args.evaluate(runtime)?;
        let input = input.to_kstr();
        let replace = args.replace.unwrap_or_else(|| "".into());
        let found = input.matches(args.search.as_str()).count() as u64;
        take_bytes(runtime, found.saturating_mul(replace.len() as u64))?;
        Ok(Value::scalar(input.replace(args.search.as_str(), replace.as_str())))
    }
}

#[derive(Debug, FilterParameters)]
struct JoinArguments {
    #[parameter(
        description = "What to put between items; a space if not given.",
        arg_type = "str"
    )]
    separator: Option<Expression>,
}

#[derive(Clone, ParseFilter, FilterReflection)]
#[filter(
    name = "join",
    description = "The items of an array as one text.",
    parameters(JoinArguments),
    parsed(JoinFilter)
)]
pub(super) struct Join;

#[derive(Debug, FromFilterParameters, Display_filter)]
#[name = "join"]
struct JoinFilter {
    #[parameters]
    args: JoinArguments,
}

impl Filter for JoinFilter {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let args = self.args.evaluate(runtime)?;
        let separator = args.separator.unwrap_or_else(|| " ".into());
        let Some(items) = input.as_array() else {
            return Err(
                Error::with_msg("Invalid input").context("cause", "Array of strings expected")
            );
        };
        let separators = (items.size().max(0) as u64).saturating_mul(separator.len() as u64);
        take_bytes(runtime, separators)?;
        let mut text = String::new();
        for (index, item) in items.values().enumerate() {
            if index > 0 {
                text.push_str(separator.as_str());
            }
            text.push_str(item.to_kstr().as_str());
        }
        Ok(Value::scalar(text))
    }
}
