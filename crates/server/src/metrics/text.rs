//! Writes the Prometheus text format: families of samples, each with its help and type.

use std::fmt::Write;

/// Prefix of all metric names. Dashboards depend on it.
const PREFIX: &str = "meilisearch_";

#[derive(Debug, Default)]
pub struct MetricsText {
    text: String,
}

/// A metric family, to which samples are added.
#[derive(Debug)]
pub struct Family<'t> {
    text: &'t mut String,
    name: String,
}

impl MetricsText {
    pub fn into_string(self) -> String {
        self.text
    }

    pub fn gauge(&mut self, name: &str, help: &str) -> Family<'_> {
        self.family(format!("{PREFIX}{name}"), help, "gauge")
    }

    pub fn counter(&mut self, name: &str, help: &str) -> Family<'_> {
        self.family(format!("{PREFIX}{name}"), help, "counter")
    }

    pub fn histogram(&mut self, name: &str, help: &str) -> Family<'_> {
        self.family(format!("{PREFIX}{name}"), help, "histogram")
    }

    /// Starts a standard process metric, whose name has no prefix.
    pub fn of_process(&mut self, name: &str, help: &str, kind: &str) -> Family<'_> {
        self.family(format!("process_{name}"), help, kind)
    }

    fn family(&mut self, name: String, help: &str, kind: &str) -> Family<'_> {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Family { text: &mut self.text, name }
    }
}

impl Family<'_> {
    /// Adds the only sample of its family.
    pub fn set(self, value: impl Into<f64>) {
        let mut family = self;
        family.sample("", &[], value.into());
    }

    pub fn add(&mut self, labels: &[(&str, &str)], value: impl Into<f64>) {
        self.sample("", labels, value.into());
    }

    /// Adds a sample; `suffix` distinguishes the samples of a histogram.
    pub fn sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: f64) {
        let _ = write!(self.text, "{}{suffix}", self.name);
        for (place, (name, value)) in labels.iter().enumerate() {
            let before = if place == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{before}{name}=\"");
            escape(value, self.text);
            self.text.push('"');
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

fn escape(value: &str, text: &mut String) {
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}

/// Converts bytes and counts to metric values, exact up to 2^53, which is 8 PiB.
pub fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_written_as_prometheus_reads_them() {
        let mut metrics = MetricsText::default();
        metrics.gauge("index_count", "Indexes").set(3);
        let mut tasks = metrics.gauge("nb_tasks", "Tasks");
        tasks.add(&[("kind", "statuses"), ("value", "a\"b\\c\nd")], 0.5);
        tasks.sample("_sum", &[], number(1 << 53));
        assert_eq!(
            metrics.into_string(),
            "# HELP meilisearch_index_count Indexes\n\
             # TYPE meilisearch_index_count gauge\n\
             meilisearch_index_count 3\n\
             # HELP meilisearch_nb_tasks Tasks\n\
             # TYPE meilisearch_nb_tasks gauge\n\
             meilisearch_nb_tasks{kind=\"statuses\",value=\"a\\\"b\\\\c\\nd\"} 0.5\n\
             meilisearch_nb_tasks_sum 9007199254740992\n"
        );
    }
}
