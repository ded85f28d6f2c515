//! Filters lines by target. HTTP libraries log headers and bodies below INFO, keys among them, and
//! levels set at run time must not expose those: so below INFO only this program's lines pass,
//! which are written with that in mind.

use tracing::{Level, Metadata};
use tracing_subscriber::filter::{FilterFn, filter_fn};

/// The crates of this program; targets begin with the name of one.
const OWN: [&str; 28] = [
    "auth",
    "bucket",
    "chat",
    "cli",
    "document",
    "dump",
    "embed",
    "engine",
    "filter",
    "index",
    "json",
    "logs",
    "maps",
    "model",
    "network",
    "outbound",
    "remote_search",
    "search",
    "segment",
    "server",
    "settings",
    "sonde",
    "tasks",
    "telemetry",
    "template",
    "text",
    "transfer",
    "vectors",
];

pub(crate) fn target_filter() -> FilterFn {
    filter_fn(is_allowed)
}

fn is_allowed(line: &Metadata<'_>) -> bool {
    *line.level() <= Level::INFO || is_own(line.target())
}

fn is_own(target: &str) -> bool {
    let name = target.split("::").next().unwrap_or_default();
    OWN.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tracing::{debug, info, subscriber, trace};
    use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets};
    use tracing_subscriber::layer::{Layer, SubscriberExt};
    use tracing_subscriber::{fmt, registry, reload};

    use super::*;

    #[test]
    fn every_crate_of_the_program_is_named() {
        let crates = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap();
        let mut names: Vec<String> =
            crates.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "testkit");
        names.sort();
        assert_eq!(names, OWN);
    }

    #[derive(Clone, Default)]
    struct CapturedLines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for CapturedLines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn library_lines_pass_from_info_on() {
        let written = CapturedLines::default();
        let writer = written.clone();
        let (targets, _handle) = reload::Layer::new(
            Targets::new()
                .with_default(LevelFilter::TRACE)
                .with_target("hyper", LevelFilter::TRACE),
        );
        let lines = fmt::layer()
            .with_writer(move || writer.clone())
            .with_filter(targets.and(target_filter()));
        subscriber::with_default(registry().with(lines), || {
            debug!(target: "hyper::proto", "secret one");
            trace!(target: "rustls", "secret two");
            debug!(target: "log", "secret three");
            debug!(target: "engine_of_others", "secret four");
            info!(target: "hyper::proto", "said aloud");
            trace!(target: "engine::runner", "own trace");
            debug!("own debug");
            let _entered =
                tracing::debug_span!(target: "h2", "h", header = "secret five").entered();
            info!("within");
        });
        let text = String::from_utf8(written.0.lock().clone()).unwrap();
        assert!(!text.contains("secret"), "{text}");
        for said in ["said aloud", "own trace", "own debug", "within"] {
            assert!(text.contains(said), "{text}");
        }
    }
}
