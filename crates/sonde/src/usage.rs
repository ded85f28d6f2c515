//! Sets up telemetry: identity, machine and collector.

use std::sync::Arc;

use anyhow::Context;
use engine::Engine;
use model::Features;
use telemetry::{
    Identity, Instance, Options, Profile, Stats, System, Telemetry, user_config_folder,
};

use crate::options::config::Config;
use crate::{machine, version};

/// Starts telemetry unless the operator switched it off; then nothing is written either.
pub fn start(config: &Config, engine: &Arc<Engine>) -> anyhow::Result<Telemetry> {
    let Some(wanted) = &config.telemetry else {
        return Ok(Telemetry::off());
    };
    let identity = Identity::establish(&config.db_path, user_config_folder().as_deref());
    let system = System { server_provider: wanted.server_provider.clone(), ..machine::system() };
    let profile =
        Profile { version: version::PACKAGE.to_owned(), system, infos: wanted.infos.clone() };
    let mut options =
        Options::new(identity.uid, profile, Box::new(EngineStats(Arc::clone(engine))));
    options.is_first_launch = identity.is_new;
    options.collector = wanted.collector.as_ref().map(|url| url.expose().to_owned());
    Telemetry::start(options).context("the collector of --telemetry-url cannot be used")
}

struct EngineStats(Arc<Engine>);

impl Instance for EngineStats {
    fn stats(&self) -> Stats {
        // Errors are reported by the stats route.
        let Ok(stats) = self.0.stats() else { return Stats::default() };
        Stats {
            database_size: stats.database_size,
            documents: stats.indexes.values().map(|index| index.number_of_documents).collect(),
        }
    }

    fn features(&self) -> Features {
        self.0.features()
    }
}
