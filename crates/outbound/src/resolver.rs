//! Resolves names under the policy: one forbidden address refuses the name, so that the result does
//! not depend on chance.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::AddressPolicy;
use crate::error::OutboundError;

pub(crate) struct GuardedResolver {
    pub(crate) policy: AddressPolicy,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.policy.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            for address in &found {
                policy.check(address.ip()).map_err(|refused| {
                    tracing::warn!(host = name.as_str(), "a call was not made: {refused}");
                    OutboundError::RejectedName(name.as_str().to_owned())
                })?;
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}
