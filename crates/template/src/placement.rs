//! Finds placeholders in the JSON of `request` and `response`, and the array that is repeated for
//! each value.

use serde_json::Value;

use crate::error::{PlaceholderError, TemplateError};
use crate::placeholder::Placeholder;

/// As the second item of an array: repeats the first.
const REPEAT: &str = "{{..}}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Member(String),
    Item(usize),
}

pub(crate) type Path = Vec<Step>;

/// Formats a path as users write it: `request.a[0].b`.
pub(crate) fn display_path(root: &str, path: &[Step]) -> String {
    let mut text = root.to_owned();
    for step in path {
        match step {
            Step::Member(name) => text.extend([".", name]),
            Step::Item(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// Position of values in the JSON of a request or response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slot {
    Single(Path),
    /// The array at `array` has one item for each value, with the value at `item` inside it.
    Repeated {
        array: Path,
        item: Path,
    },
}

/// Finds the one required placeholder.
pub(crate) fn find(template: &Value, placeholder: Placeholder) -> Result<Slot, TemplateError> {
    let mut search =
        SlotSearch { placeholder, at: Vec::new(), repeated: None, found: None, nested: false };
    search.find_repeated(template)?;
    search.find_placeholder(template)?;
    match (search.found, search.repeated) {
        (None, _) => Err(error_at(placeholder, &[], PlaceholderError::Missing(placeholder))),
        (Some(path), None) => Ok(Slot::Single(path)),
        // The only placeholder was found inside the first item of the array.
        (Some(path), Some(array)) => {
            let item = path.into_iter().skip(array.len() + 1).collect();
            Ok(Slot::Repeated { array, item })
        }
    }
}

fn error_at(placeholder: Placeholder, at: &[Step], problem: PlaceholderError) -> TemplateError {
    let place = quoted(placeholder, at);
    TemplateError::Placeholder { place, problem, placeholder }
}

fn quoted(placeholder: Placeholder, at: &[Step]) -> String {
    format!("`{}`", display_path(placeholder.root(), at))
}

struct SlotSearch {
    placeholder: Placeholder,
    at: Path,
    repeated: Option<Path>,
    found: Option<Path>,
    /// True if the search is inside a repeated item.
    nested: bool,
}

impl SlotSearch {
    fn error<T>(&self, problem: PlaceholderError) -> Result<T, TemplateError> {
        Err(error_at(self.placeholder, &self.at, problem))
    }

    fn inside<T>(&mut self, step: Step, look: impl FnOnce(&mut Self) -> T) -> T {
        self.at.push(step);
        let result = look(self);
        self.at.pop();
        result
    }

    fn find_repeated(&mut self, value: &Value) -> Result<(), TemplateError> {
        match value {
            Value::String(text) if text == REPEAT => {
                self.error(PlaceholderError::RepeatOutsideArray)
            }
            Value::Array(items) => self.find_repeated_in(items),
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                self.inside(Step::Member(name.clone()), |search| search.find_repeated(member))
            }),
            _ => Ok(()),
        }
    }

    fn find_repeated_in(&mut self, items: &[Value]) -> Result<(), TemplateError> {
        let mut positions = items.iter().enumerate().filter(|(_, item)| *item == REPEAT);
        if let Some((wrong, _)) = positions.clone().find(|(index, _)| *index != 1) {
            return self.error(PlaceholderError::RepeatAt(wrong));
        }
        if positions.next().is_none() {
            return items.iter().enumerate().try_for_each(|(index, item)| {
                self.inside(Step::Item(index), |search| search.find_repeated(item))
            });
        }
        if self.nested {
            return self.error(PlaceholderError::RepeatNested);
        }
        if let Some(first) = &self.repeated {
            let first = quoted(self.placeholder, first);
            return self.error(PlaceholderError::Twice { found: format!("\"{REPEAT}\""), first });
        }
        self.repeated = Some(self.at.clone());
        self.nested = true;
        // The path stays that of the array: a nested repetition is reported with the outer one.
        self.find_repeated(&items[0])?;
        self.nested = false;
        if !contains(&items[0], self.placeholder.token()) {
            let problem = PlaceholderError::MissingInRepeated(self.placeholder);
            return self.inside(Step::Item(0), |search| search.error(problem));
        }
        Ok(())
    }

    /// Returns the error for a second placeholder at the current position. If both are inside the
    /// repeated item, paths omit its index; if only one is, its path is marked as repeated.
    fn error_of_second(&self, first: &[Step]) -> TemplateError {
        let inside = |path: &[Step]| {
            let array = self.repeated.as_ref()?;
            let within = path.strip_prefix(&array[..])?.strip_prefix(&[Step::Item(0)])?;
            Some([array, within].concat())
        };
        let (first, second) = match (inside(first), inside(&self.at)) {
            (Some(first), Some(second)) => {
                (quoted(self.placeholder, &first), quoted(self.placeholder, &second))
            }
            (of_first, of_second) => {
                let told = |path: &[Step], inside: Option<Path>| {
                    let note = if inside.is_some() { " (repeated)" } else { "" };
                    format!("{}{note}", quoted(self.placeholder, path))
                };
                (told(first, of_first), told(&self.at, of_second))
            }
        };
        let problem = PlaceholderError::Twice { found: self.placeholder.to_string(), first };
        TemplateError::Placeholder { place: second, problem, placeholder: self.placeholder }
    }

    fn find_placeholder(&mut self, value: &Value) -> Result<(), TemplateError> {
        match value {
            Value::String(text) if text == self.placeholder.token() => {
                if let Some(first) = &self.found {
                    return Err(self.error_of_second(first));
                }
                self.found = Some(self.at.clone());
                Ok(())
            }
            Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
                self.inside(Step::Item(index), |search| search.find_placeholder(item))
            }),
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                self.inside(Step::Member(name.clone()), |search| search.find_placeholder(member))
            }),
            _ => Ok(()),
        }
    }
}

/// Returns whether any string of the value equals this token.
pub(crate) fn contains(value: &Value, token: &str) -> bool {
    match value {
        Value::String(text) => text == token,
        Value::Array(items) => items.iter().any(|item| contains(item, token)),
        Value::Object(members) => members.values().any(|member| contains(member, token)),
        _ => false,
    }
}
