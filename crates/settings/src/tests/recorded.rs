//! Goes through recorded values of every setting: how each is read back, why it is refused. What
//! is refused on a setting's own route is refused in the object of all, with a longer place.

use std::collections::BTreeSet;

use model::ServiceError;
use model::features::{Feature, Features};
use serde_json::{Value, json};
use template::{DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_MAX_BYTES};

use crate::{Change, Setting};

const VALUES: &str = include_str!("values.txt");
const EMBEDDERS: &str = include_str!("embedders.txt");

#[test]
fn values_are_read_back_or_refused_as_recorded() {
    let mut seen = BTreeSet::new();
    for section in sections(VALUES).chain(sections(EMBEDDERS)) {
        seen.insert(section.setting.name);
        replay(&section);
    }
    assert_eq!(seen.len(), Setting::ALL.iter().filter(|setting| !setting.is_own).count());
}

struct Section {
    title: &'static str,
    setting: &'static Setting,
    lines: Vec<&'static str>,
}

fn sections(text: &'static str) -> impl Iterator<Item = Section> {
    text.split("\n# ").skip(1).map(|section| {
        let mut lines = section.lines().filter(|line| !line.is_empty());
        let title = lines.next().expect("a title");
        let name = title.split(':').next().expect("a name");
        Section { title, setting: Setting::named(name).expect(title), lines: lines.collect() }
    })
}

fn replay(section: &Section) {
    let setting = section.setting;
    let mut stored = Value::Null;
    for line in &section.lines {
        let case = format!("{}: {line}", section.title);
        let (kind, rest) = line.split_at(2);
        let (sent, expected) = match rest.split_once(" => ") {
            Some((sent, expected)) => (json_of(sent), Some(expected)),
            None => (json_of(rest), None),
        };
        let checked = Change::of_one(setting, sent.clone())
            .and_then(|change| change.check_whole(&all_features()).map(|()| change));
        match kind {
            "= " => {
                stored = checked.and_then(|change| change.apply(&stored)).expect(&case);
                if let Some(expected) = expected {
                    let read = setting.read(&stored);
                    assert_eq!(read.to_string(), json_of(expected).to_string(), "{case}");
                }
            }
            "! " => {
                let expected = expected.expect(&case);
                assert_refused(setting, &checked.expect_err(&case), expected, &case);
                let inside = Change::of_many(json!({ setting.name: sent }))
                    .and_then(|change| change.check_whole(&all_features()))
                    .expect_err(&case);
                let expected = in_object_of_all(setting, expected);
                assert_refused(setting, &inside, &expected, &case);
            }
            "? " => {
                let failure = checked.expect(&case).apply(&stored).expect_err(&case);
                assert_refused(setting, &failure, expected.expect(&case), &case);
            }
            "~ " => {
                checked.and_then(|change| change.apply(&stored)).expect(&case);
            }
            _ => panic!("{case}"),
        }
    }
}

fn assert_refused(setting: &Setting, error: &ServiceError, expected: &str, case: &str) {
    let (code, message) = match expected.strip_prefix('[') {
        Some(rest) => rest.split_once(']').expect(case),
        None => (setting.code.name(), expected),
    };
    assert_eq!(error.code.name(), code, "{case}\n{}", error.message);
    let message = message.trim_start().replace("\\n", "\n");
    assert!(message.is_empty() || error.message == message, "{case}\n{}", error.message);
}

/// The place is longer by the name of the setting, where there is one.
fn in_object_of_all(setting: &Setting, message: &str) -> String {
    let name = setting.name;
    for (start, word) in [
        ("Invalid value type", "at"),
        ("Invalid value", "at"),
        ("Unknown value", "at"),
        ("Unknown field", "inside"),
        ("Missing field", "inside"),
    ] {
        let Some(rest) = message.strip_prefix(start) else { continue };
        let placed = format!(" {word} `");
        if let Some((before, after)) = rest.split_once(&placed) {
            let subject_is_over = !before.contains(": ");
            if subject_is_over {
                return format!("{start}{before}{placed}.{name}{after}");
            }
        }
        return match (word, rest.split_once(": ")) {
            (_, Some((before, after))) => format!("{start}{before} {word} `.{name}`: {after}"),
            (_, None) => format!("{start}{rest} {word} `.{name}`"),
        };
    }
    message.to_owned()
}

fn json_of(text: &str) -> Value {
    let template = serde_json::to_string(DEFAULT_DOCUMENT_TEMPLATE).expect("a string");
    let prompt = format!(
        r#""documentTemplate": {template}, "documentTemplateMaxBytes": {DEFAULT_MAX_BYTES}"#
    );
    let text = text.replace("<prompt>", &prompt).replace("\"<template>\"", &template);
    serde_json::from_str(&text).expect(&text)
}

fn all_features() -> Features {
    let mut features = Features::default();
    for feature in Feature::ALL {
        features.set(*feature, true);
    }
    features
}
