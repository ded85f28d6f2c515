//! The list of steps that are sent but not compared, each with its reason: conformance/skips.toml.
//!
//!     [[skip]]
//!     scenario = "documents/34-list-filter.json"
//!     steps = [1, "3-24"]              # or "all"
//!     reason = "needs filters"
//!     may-pass = true                  # where it depends on time; otherwise it must not pass

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SkipFile {
    #[serde(default)]
    skip: Vec<SkipEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SkipEntry {
    scenario: String,
    steps: Steps,
    reason: String,
    #[serde(default, rename = "may-pass")]
    may_pass: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Steps {
    All(String),
    StepList(Vec<StepList>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum StepList {
    One(usize),
    Range(String),
}

/// The skipped steps of one scenario.
#[derive(Debug, Clone, Default)]
pub struct SkippedSteps {
    /// The whole scenario: then it must not pass as a whole, single steps may.
    pub all: Option<String>,
    pub steps: BTreeMap<usize, String>,
    /// Whether it may pass all the same, by chance.
    pub may_pass: bool,
}

impl SkippedSteps {
    pub fn contains(&self, step: usize) -> bool {
        self.all.is_some() || self.steps.contains_key(&step)
    }
}

#[derive(Debug)]
pub struct Skips {
    by_scenario: BTreeMap<String, SkippedSteps>,
}

impl Skips {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("the list of skips can be read");
        Self::parse(&text).unwrap_or_else(|mistake| panic!("{}: {mistake}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: SkipFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut by_scenario: BTreeMap<String, SkippedSteps> = BTreeMap::new();
        for SkipEntry { scenario, steps, reason, may_pass } in file.skip {
            if reason.trim().is_empty() {
                return Err(format!("{scenario} is skipped without a reason"));
            }
            let skipped = by_scenario.entry(scenario.clone()).or_default();
            skipped.may_pass |= may_pass;
            match steps {
                Steps::All(word) if word == "all" => skipped.all = Some(reason),
                Steps::All(word) => return Err(format!("{scenario}: `{word}` is not `all`")),
                Steps::StepList(listed) => {
                    for step in listed_steps(&listed)? {
                        if skipped.steps.insert(step, reason.clone()).is_some() {
                            return Err(format!("{scenario}: step {step} is listed twice"));
                        }
                    }
                }
            }
        }
        Ok(Self { by_scenario })
    }

    pub fn of(&self, scenario: &str) -> SkippedSteps {
        self.by_scenario.get(scenario).cloned().unwrap_or_default()
    }

    pub fn scenarios(&self) -> impl Iterator<Item = &String> {
        self.by_scenario.keys()
    }
}

fn listed_steps(listed: &[StepList]) -> Result<Vec<usize>, String> {
    let mut steps = Vec::new();
    for item in listed {
        match item {
            StepList::One(step) => steps.push(*step),
            StepList::Range(range) => {
                let bounds = range.split_once('-').and_then(|(first, last)| {
                    Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?))
                });
                match bounds {
                    Some((first, last)) if first < last => steps.extend(first..=last),
                    _ => return Err(format!("`{range}` is not a range of steps")),
                }
            }
        }
    }
    Ok(steps)
}

#[test]
fn lists_and_ranges_of_steps() {
    let entry = |steps: &str, reason: &str| {
        let text = format!("[[skip]]\nscenario = \"a\"\nsteps = {steps}\nreason = \"{reason}\"");
        Skips::parse(&text).map(|skips| skips.of("a"))
    };
    let skipped = entry("[1, \"3-5\"]", "r").unwrap();
    assert_eq!(skipped.steps.keys().copied().collect::<Vec<_>>(), [1, 3, 4, 5]);
    assert!(entry("\"all\"", "r").unwrap().contains(7));
    for (steps, reason) in [("[1, 1]", "r"), ("[\"5-3\"]", "r"), ("\"some\"", "r"), ("[1]", " ")] {
        assert!(entry(steps, reason).is_err(), "{steps}");
    }
}
