//! Plays the cases of the suite and keeps account of the methods. There is no reflection here: the
//! public methods come from the source of the crate (`surface`), and that a case calls those it
//! names is read from its own text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use serde_json::{Value, json};

pub type Problem = Box<dyn std::error::Error + Send + Sync>;

const CASE_LIMIT: Duration = Duration::from_secs(120);

pub struct Suite {
    client: &'static str,
    surface: BTreeSet<String>,
    /// Method → status and reason.
    methods: BTreeMap<String, (&'static str, Option<String>)>,
    cases: usize,
}

/// A case: the methods it checks and what it does.
#[macro_export]
macro_rules! case {
    ($suite:expr, $methods:expr, $body:block) => {
        $suite
            .play(&$methods, None, stringify!($body), async {
                $body;
                Ok::<(), $crate::suite::Problem>(())
            })
            .await
    };
}

/// The case of a method that no server of this interface can satisfy: it checks how it fails.
#[macro_export]
macro_rules! refused {
    ($suite:expr, $method:expr, $reason:expr, $body:block) => {
        $suite
            .play(&[$method], Some($reason), stringify!($body), async {
                $body;
                Ok::<(), $crate::suite::Problem>(())
            })
            .await
    };
}

impl Suite {
    pub fn new(client: &'static str, surface: BTreeSet<String>) -> Self {
        Self { client, surface, methods: BTreeMap::new(), cases: 0 }
    }

    pub async fn play(
        &mut self,
        methods: &[&str],
        reason: Option<&str>,
        text: &str,
        body: impl Future<Output = Result<(), Problem>>,
    ) {
        self.cases += 1;
        let started = Instant::now();
        let limited = tokio::time::timeout(CASE_LIMIT, AssertUnwindSafe(body).catch_unwind());
        let failure = match limited.await {
            Ok(Ok(Ok(()))) => self.not_called(methods, text),
            Ok(Ok(Err(problem))) => Some(problem.to_string()),
            Ok(Err(_)) => Some("the case panicked".to_owned()),
            Err(_) => Some(format!("the case took longer than {CASE_LIMIT:?}")),
        };
        if std::env::var("TIMES").is_ok() {
            println!("{} ms: {}", started.elapsed().as_millis(), methods.join(", "));
        }
        for method in methods {
            self.note(method, failure.clone(), reason);
        }
    }

    fn not_called(&self, methods: &[&str], text: &str) -> Option<String> {
        let words: BTreeSet<&str> =
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        let is_called = |method: &&&str| {
            let name = method.rsplit('.').next().unwrap_or_default();
            self.surface.contains(**method) && words.contains(name)
        };
        let missed: Vec<&str> =
            methods.iter().filter(|method| !is_called(method)).copied().collect();
        (!missed.is_empty()).then(|| format!("the case did not call {}", missed.join(", ")))
    }

    fn note(&mut self, method: &str, failure: Option<String>, reason: Option<&str>) {
        if self.methods.get(method).is_some_and(|(status, _)| *status == "failed") {
            return;
        }
        let status = match (&failure, reason) {
            (Some(_), _) => "failed",
            (None, Some(_)) => "refused",
            (None, None) => "passed",
        };
        let reason = failure.or_else(|| reason.map(str::to_owned));
        self.methods.insert(method.to_owned(), (status, reason));
    }

    /// Leaves the results where the runner looks for them.
    pub fn write(mut self, version: &str) -> Result<(), Problem> {
        for method in self.surface.clone() {
            if !self.methods.contains_key(&method) {
                self.note(&method, Some("no case calls it".to_owned()), None);
            }
        }
        let methods: Vec<Value> = self
            .methods
            .iter()
            .map(|(name, (status, reason))| {
                json!({"name": name, "status": status, "reason": reason.as_deref().map(shortened)})
            })
            .collect();
        let report = json!({
            "client": self.client,
            "version": version,
            "cases": self.cases,
            "methods": methods,
        });
        std::fs::write(std::env::var("RESULTS")?, report.to_string())?;
        Ok(())
    }
}

fn shortened(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    words.join(" ").chars().take(400).collect()
}

/// Like an assertion, with both sides and the place.
#[track_caller]
pub fn equal<L: Debug + PartialEq<R>, R: Debug>(found: L, expected: R) -> Result<(), Problem> {
    if found == expected {
        return Ok(());
    }
    Err(at(Location::caller(), &format!("found {found:?}, expected {expected:?}")))
}

#[track_caller]
pub fn holds(condition: bool, what: &str) -> Result<(), Problem> {
    if condition { Ok(()) } else { Err(at(Location::caller(), what)) }
}

fn at(place: &Location<'_>, what: &str) -> Problem {
    let file = place.file().rsplit('/').next().unwrap_or_default();
    format!("{what} [{file}:{}]", place.line()).into()
}
