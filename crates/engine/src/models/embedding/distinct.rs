//! Deduplicates inputs, so that equal ones are embedded once.

use std::collections::HashMap;
use std::ops::Range;

use embed::Input;

#[derive(Debug)]
pub(crate) struct DistinctInputs {
    pub inputs: Vec<Input>,
    /// For each given input, in order, its place among the distinct ones.
    pub places: Vec<usize>,
}

impl DistinctInputs {
    pub fn of<'i>(all: impl Iterator<Item = &'i Input>) -> Self {
        let (mut inputs, mut known) = (Vec::new(), HashMap::new());
        let place_of = |input: &'i Input| {
            *known.entry(input.text()).or_insert_with(|| {
                inputs.push(input.clone());
                inputs.len() - 1
            })
        };
        let places = all.map(place_of).collect();
        Self { inputs, places }
    }

    /// Returns whether any of the given inputs is among these distinct ones.
    pub fn any_within(&self, given: Range<usize>, distinct: &Range<usize>) -> bool {
        let places = self.places.get(given).unwrap_or_default();
        places.iter().any(|place| distinct.contains(place))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fragment(name: &str, value: Value) -> Input {
        Input::Fragment { name: name.to_owned(), value }
    }

    #[test]
    fn equal_inputs_have_one_place() {
        let texts = ["red", "blue", "red", "", "blue"].map(|text| Input::Text(text.to_owned()));
        let distinct = DistinctInputs::of(texts.iter());
        assert_eq!(distinct.inputs, [texts[0].clone(), texts[1].clone(), texts[3].clone()]);
        assert_eq!(distinct.places, [0, 1, 0, 2, 1]);
        assert!(distinct.any_within(2..4, &(0..1)) && distinct.any_within(2..4, &(2..9)));
        assert!(!distinct.any_within(2..4, &(1..2)) && !distinct.any_within(2..2, &(0..9)));

        // A provider sees the value, not the name.
        let same = [fragment("a", json!({"x": 1})), fragment("b", json!({"x": 1}))];
        assert_eq!(DistinctInputs::of(same.iter()).places, [0, 0]);
        let other = [fragment("a", json!("1")), fragment("a", json!(1))];
        assert_eq!(DistinctInputs::of(other.iter()).places, [0, 1]);
    }
}
