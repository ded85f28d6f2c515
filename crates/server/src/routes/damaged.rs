//! Names unreadable indexes in a header of answers about several indexes: the others are shown as
//! always, and the bodies of answers have no member for errors.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

const DAMAGED_INDEXES: HeaderName = HeaderName::from_static("x-sonde-damaged-indexes");
/// Most indexes to name; more could make the head of the answer too long for some clients.
const MOST_NAMES: usize = 20;

pub(crate) fn name_damaged(response: &mut Response, damaged: &[String]) {
    if damaged.is_empty() {
        return;
    }
    let mut names = damaged[..damaged.len().min(MOST_NAMES)].join(", ");
    if damaged.len() > MOST_NAMES {
        names.push_str(", ...");
    }
    // Names of indexes consist of letters, digits, hyphens and underscores.
    if let Ok(names) = HeaderValue::from_str(&names) {
        response.headers_mut().insert(DAMAGED_INDEXES, names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_too_many_names() {
        let name = |count: usize| {
            let mut response = Response::default();
            let names: Vec<String> = (0..count).map(|number| format!("i{number}")).collect();
            name_damaged(&mut response, &names);
            let named = response.headers().get(DAMAGED_INDEXES);
            named.map(|names| names.to_str().unwrap().to_owned())
        };
        assert_eq!(name(0), None);
        assert_eq!(name(2).unwrap(), "i0, i1");
        assert!(name(21).unwrap().ends_with("i19, ..."));
    }
}
