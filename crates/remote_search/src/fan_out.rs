//! Requests to the whole network: which instance is asked for which shards, and the pending
//! answers. All remotes are asked at once, while this instance does its own part.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use engine::ForeignAccess;
use engine::search::FederatedQuery;
use model::{Code, ServiceError};
use network::{PlannedNetwork, Remote, ShardPlan, ShardScope};
use outbound::BackgroundTask;
use serde_json::Value;

use super::RemoteSearcher;
use super::ask::{RemoteRequest, ask};

/// Errors by remote. They never fail a request.
pub type RemoteErrors = BTreeMap<String, ServiceError>;

/// The instances that a request is sent to.
#[derive(Debug, Clone)]
pub struct FanOut {
    network: Arc<PlannedNetwork>,
    /// Scope of this instance; none if it is not asked.
    pub here: Option<ShardScope>,
    /// The others by name, in byte order.
    others: Vec<(String, ShardScope)>,
    /// Errors of remotes that cannot be asked.
    pub errors: RemoteErrors,
    /// Deadline of all answers.
    pub deadline: Instant,
}

impl FanOut {
    /// Asks every configured remote, and this instance if it is one of them.
    fn over_remotes(network: PlannedNetwork, deadline: Instant) -> Self {
        let here = network.name.as_ref().filter(|name| network.remotes.contains_key(*name));
        let here = here.map(|_| ShardScope::default());
        let others = network.others().map(|(name, _)| (name.to_owned(), ShardScope::default()));
        let (others, errors) = (others.collect(), RemoteErrors::new());
        Self { others, here, errors, network: Arc::new(network), deadline }
    }

    /// Asks each instance for its shards. This instance always takes part, also without a shard: it
    /// knows every index, and reports errors of the request.
    fn over_shards(network: PlannedNetwork, plan: ShardPlan, deadline: Instant) -> Self {
        let network = Arc::new(network);
        let mut errors = RemoteErrors::new();
        for (shard, owners) in &plan.missing {
            for owner in owners {
                let message = format!(
                    "The remote failed lately and is not asked for a while.\n - Note: documents of the shard `{shard}` are missing."
                );
                errors.insert(
                    owner.clone(),
                    ServiceError::new(Code::RemoteCouldNotSendRequest, message),
                );
            }
        }
        let of_shards = |names| ShardScope::Shards { names, network: Arc::clone(&network) };
        let (mut here, mut others) = (of_shards(BTreeSet::new()), Vec::new());
        for (name, shards) in plan.by_member {
            match network.is_self(&name) {
                true => here = of_shards(shards),
                false => others.push((name, of_shards(shards))),
            }
        }
        Self { here: Some(here), others, errors, deadline, network }
    }

    /// Returns the same request for these remotes alone.
    pub(super) fn for_others(&self, others: Vec<(String, ShardScope)>) -> Self {
        Self { here: None, others, errors: RemoteErrors::new(), ..self.clone() }
    }

    /// Returns the name of this instance in answers.
    pub fn own_name(&self) -> Option<&str> {
        self.network.name.as_deref()
    }

    /// Returns whether all instances give the same document the same number.
    pub fn has_common_numbers(&self) -> bool {
        self.network.is_sharded()
    }

    /// Splits a query into one per instance, each with its scope.
    pub fn split_query(&self, query: &FederatedQuery) -> Vec<FederatedQuery> {
        let of = |name: Option<&str>, scope: &ShardScope| {
            let (remote, scope) = (name.map(str::to_owned), scope.clone());
            FederatedQuery { remote, scope, ..query.clone() }
        };
        let here = self.here.iter().map(|scope| of(self.own_name(), scope));
        here.chain(self.others.iter().map(|(name, scope)| of(Some(name), scope))).collect()
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = (&str, &Remote, &ShardScope)> {
        self.others.iter().filter_map(|(name, scope)| {
            Some((name.as_str(), self.network.remotes.get(name)?, scope))
        })
    }

    /// Returns the scope of a remote.
    pub(super) fn scope_of(&self, remote: &str) -> Option<&ShardScope> {
        self.others.iter().find(|(name, _)| name == remote).map(|(_, scope)| scope)
    }
}

/// Pending answers of remotes. Dropping it cancels the calls.
#[derive(Debug)]
pub struct PendingAnswers<T> {
    pending: Vec<(String, PendingCall<T>)>,
    errors: RemoteErrors,
}

/// A call; none where it could not be started.
type PendingCall<T> = Option<BackgroundTask<Result<T, ServiceError>>>;

impl<T> PendingAnswers<T> {
    /// Waits for all answers, in the order of the remotes' names.
    pub async fn answers(self) -> (Vec<(String, T)>, RemoteErrors) {
        let mut answers = Vec::with_capacity(self.pending.len());
        let mut errors = self.errors;
        for (name, pending) in self.pending {
            let outcome = match pending {
                Some(pending) => pending.await,
                None => None,
            };
            match outcome {
                Some(Ok(answer)) => answers.push((name, answer)),
                Some(Err(error)) => drop(errors.insert(name, error)),
                None => {
                    let lost = ServiceError::internal("the answer of the remote was lost");
                    errors.insert(name, lost);
                }
            }
        }
        (answers, errors)
    }
}

impl RemoteSearcher {
    /// Returns the instances to ask if a request is one for the network. That is the default where
    /// documents are sharded, since no instance has all of them then.
    pub fn fan_out(&self, use_network: Option<bool>) -> Option<FanOut> {
        let network = self.engine.network();
        let wanted = use_network.unwrap_or(network.is_sharded()) && self.engine.features().network;
        let deadline = self.remote_deadline();
        wanted.then(|| match self.replication.plan() {
            Some((network, plan)) => FanOut::over_shards(network, plan, deadline),
            None => FanOut::over_remotes((*network).clone().into(), deadline),
        })
    }

    /// Returns the deadline of requests sent now.
    pub fn remote_deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Sends a request about an index to a route of the other instances, each with the body for its
    /// scope.
    pub(crate) fn ask_others<T: Send + 'static>(
        &self,
        fan_out: &FanOut,
        (uid, foreign): (&str, &ForeignAccess),
        route: &str,
        body: impl Fn(&ShardScope) -> Value,
        read: impl Fn(&[u8]) -> Result<T, String> + Clone + Send + Sync + 'static,
    ) -> PendingAnswers<T> {
        let path = format!("/indexes/{uid}/{route}");
        let rights = self.engine.searcher().foreign_rights_json([(uid, foreign)].into_iter());
        let request = |(name, remote, scope): (&str, &_, &ShardScope)| {
            let deadline = self.first_deadline(name, [scope].into_iter(), fan_out.deadline);
            let request = RemoteRequest::new(name, remote, &path, &body(scope), deadline);
            (request.with_foreign_rights(rights.as_deref()), ())
        };
        let requests = fan_out.others().map(request).collect();
        self.ask_all(requests, fan_out.errors.clone(), move |(), body| read(body))
    }

    /// Sends the requests, each with context for `read`; `errors` are those of remotes that are not
    /// asked.
    pub(crate) fn ask_all<S: Send + Sync + 'static, T: Send + 'static>(
        &self,
        requests: Vec<(RemoteRequest, S)>,
        errors: RemoteErrors,
        read: impl Fn(&S, &[u8]) -> Result<T, String> + Clone + Send + Sync + 'static,
    ) -> PendingAnswers<T> {
        let start = |(request, context): (RemoteRequest, S)| {
            let name = request.remote.clone();
            let (client, availability) = (self.client.clone(), Arc::clone(&self.availability));
            let read = read.clone();
            let asking = ask(client, availability, request, move |body| read(&context, body));
            (name, self.client.start(asking))
        };
        PendingAnswers { pending: requests.into_iter().map(start).collect(), errors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::Network;

    fn network(own: Option<&str>) -> PlannedNetwork {
        let remote = |name: &str| {
            let url = format!("http://{name}.example");
            (name.to_owned(), Remote { url, search_api_key: None, write_api_key: None })
        };
        let remotes = ["a", "b", "c"].map(remote).into_iter().collect();
        Network { name: own.map(str::to_owned), remotes, ..Network::default() }.into()
    }

    #[test]
    fn this_instance_answers_only_if_it_is_one_of_the_remotes() {
        let others = |fan_out: &FanOut| -> Vec<String> {
            fan_out.others().map(|(name, _, _)| name.to_owned()).collect()
        };
        let fan_out = FanOut::over_remotes(network(Some("b")), Instant::now());
        assert_eq!(
            (fan_out.here.is_some(), others(&fan_out)),
            (true, vec!["a".into(), "c".into()])
        );
        for own in [None, Some("z")] {
            let fan_out = FanOut::over_remotes(network(own), Instant::now());
            assert_eq!((fan_out.here.is_some(), others(&fan_out).len()), (false, 3), "{own:?}");
        }
    }
}
