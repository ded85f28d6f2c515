//! Makes a failing case smaller: whatever can go without the failure going goes.

use serde_json::Value;

/// The smallest case found, given one for which `fails`. Takes away array items, members and
/// words of texts, one at a time, until nothing more can be taken away.
pub fn shrink(case: Value, fails: &dyn Fn(&Value) -> bool) -> Value {
    let mut smallest = case;
    let mut tries = 0;
    loop {
        let before = smallest.clone();
        let mut path = Vec::new();
        shrink_at(&mut smallest, &mut path, fails, &mut tries);
        if smallest == before || tries > MOST_TRIES {
            return smallest;
        }
    }
}

const MOST_TRIES: usize = 4000;

#[derive(Debug, Clone)]
enum Step {
    Key(String),
    Item(usize),
}

fn at<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(item) => value.get_mut(item),
    })
}

fn shrink_at(
    whole: &mut Value,
    path: &mut Vec<Step>,
    fails: &dyn Fn(&Value) -> bool,
    tries: &mut usize,
) {
    let Some(here) = at(whole, path).map(|here| here.clone()) else { return };
    let mut replace = |whole: &mut Value, path: &[Step], new: Value| {
        *tries += 1;
        let mut smaller = whole.clone();
        let Some(place) = at(&mut smaller, path) else { return false };
        *place = new;
        let still_fails = *tries <= MOST_TRIES && fails(&smaller);
        if still_fails {
            *whole = smaller;
        }
        still_fails
    };
    match here {
        Value::Array(items) => {
            let mut left = items;
            let mut item = left.len();
            while item > 0 {
                item -= 1;
                let mut fewer = left.clone();
                fewer.remove(item);
                if replace(whole, path, fewer.clone().into()) {
                    left = fewer;
                }
            }
            for item in 0..left.len() {
                path.push(Step::Item(item));
                shrink_at(whole, path, fails, tries);
                path.pop();
            }
        }
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let mut left = members;
            for key in &keys {
                let mut fewer = left.clone();
                fewer.shift_remove(key);
                if replace(whole, path, fewer.clone().into()) {
                    left = fewer;
                }
            }
            for key in keys.into_iter().filter(|key| left.contains_key(key)) {
                path.push(Step::Key(key));
                shrink_at(whole, path, fails, tries);
                path.pop();
            }
        }
        Value::String(text) => {
            let mut left: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
            let mut word = left.len();
            while word > 0 && left.len() > 1 {
                word -= 1;
                let mut fewer = left.clone();
                fewer.remove(word);
                if replace(whole, path, fewer.concat().into()) {
                    left = fewer;
                }
            }
        }
        _ => {}
    }
}
