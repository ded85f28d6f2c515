//! Shared by routes that several instances can answer: tells clients from other instances, and
//! shows errors of remotes.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use model::ServiceError;
use model::features::Feature;
use remote_search::{FanOut, RemoteErrors, RemoteSearcher};

use crate::http::error::{ErrorObject, Links};
use crate::http::switch;

/// The kind of caller, which decides which instances answer.
#[derive(Debug)]
pub enum Caller {
    /// A client that wants the answer of this instance alone.
    Client,
    /// A client that wants the answer of the network.
    NetworkClient(FanOut),
    /// Another instance, which merges answers: it wants all hits of this one, with their sort keys.
    Instance,
}

impl Caller {
    /// Determines the caller. Another instance never gets an answer of the network, since it asks
    /// all members itself.
    pub fn of(
        headers: &HeaderMap,
        use_network: Option<bool>,
        remotes: &RemoteSearcher,
    ) -> Result<Self, ServiceError> {
        if is_instance(headers) {
            let features = remotes.engine().features();
            features.check(Feature::network, "Performing a remote federated search")?;
            return Ok(Caller::Instance);
        }
        let fan_out = remotes.fan_out(use_network);
        Ok(fan_out.map_or(Caller::Client, Caller::NetworkClient))
    }

    /// Returns the fan-out for a client of the network.
    pub fn fan_out(self) -> Option<FanOut> {
        match self {
            Caller::NetworkClient(fan_out) => Some(fan_out),
            Caller::Client | Caller::Instance => None,
        }
    }
}

/// Returns whether another instance sent the request on behalf of its client.
pub fn is_instance(headers: &HeaderMap) -> bool {
    switch::is_on(headers, "Meili-Proxy-Search")
}

/// Returns the JSON form of `remoteErrors`.
pub fn shown<'e>(errors: &'e RemoteErrors, links: &Links) -> BTreeMap<&'e str, ErrorObject<'e>> {
    let shown = |(name, error): (&'e String, &'e ServiceError)| {
        (name.as_str(), ErrorObject::new(error, links))
    };
    errors.iter().map(shown).collect()
}
