//! What routes that can be answered by several instances have in common: telling a client from
//! another instance, and showing what went wrong at remotes.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use engine::Engine;
use engine::network::{FanOut, RemoteErrors};
use model::ServiceError;
use model::features::Feature;

use crate::http::error::{ErrorObject, Links};
use crate::http::switch;

/// Who asks, which decides who answers.
#[derive(Debug)]
pub enum Asker {
    /// A client, who wants an answer of this instance alone.
    Client,
    /// A client, who wants an answer of the network.
    OfNetwork(FanOut),
    /// Another instance, which puts answers together: it wants all that this one has, with
    /// whatever they are compared by.
    Instance,
}

impl Asker {
    /// Another instance never gets an answer of the network: it asks everybody itself.
    pub fn of(
        headers: &HeaderMap,
        use_network: Option<bool>,
        engine: &Engine,
    ) -> Result<Self, ServiceError> {
        if is_instance(headers) {
            let features = engine.features();
            features.check(Feature::network, "Performing a remote federated search")?;
            return Ok(Asker::Instance);
        }
        Ok(engine.remote_searcher().fan_out(use_network).map_or(Asker::Client, Asker::OfNetwork))
    }

    /// Who is asked, if the network is.
    pub fn fan_out(self) -> Option<FanOut> {
        match self {
            Asker::OfNetwork(fan_out) => Some(fan_out),
            Asker::Client | Asker::Instance => None,
        }
    }
}

/// Whether a request says that it is made for the client of another instance.
pub fn is_instance(headers: &HeaderMap) -> bool {
    switch::is_on(headers, "Meili-Proxy-Search")
}

/// `remoteErrors` as it is sent.
pub fn shown<'e>(errors: &'e RemoteErrors, links: &Links) -> BTreeMap<&'e str, ErrorObject<'e>> {
    let shown = |(name, error): (&'e String, &'e ServiceError)| {
        (name.as_str(), ErrorObject::new(error, links))
    };
    errors.iter().map(shown).collect()
}
