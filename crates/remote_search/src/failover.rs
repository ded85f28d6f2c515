//! Failover: where other instances own the same shards, they are asked in place of a failed remote,
//! within the deadline of the whole request. Only shards without a remaining owner are reported as
//! failed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use engine::search::{FederatedPart, FederatedQuery, FederatedRequest, HybridMode};
use model::Code;
use network::{ShardPlan, ShardScope, random_index};

use super::RemoteSearcher;
use super::fan_out::{FanOut, PendingAnswers, RemoteErrors};
use super::wire_answer::RemoteAnswer;

/// Answers of all instances asked.
#[derive(Debug)]
pub struct GatheredAnswers {
    /// The request as finally sent, replacements included.
    pub request: Arc<FederatedRequest>,
    pub remotes: Vec<(String, RemoteAnswer)>,
    pub errors: RemoteErrors,
}

impl GatheredAnswers {
    /// Returns how a hybrid search continues, and whether all parts have done so already. None
    /// where nothing is to be decided.
    pub fn decision(&self, own: &FederatedPart) -> Option<(HybridMode, bool)> {
        own.decision(self.remotes.iter().map(|(_, remote)| &remote.found))
    }
}

/// Instances that replace a failed one.
struct Substitutes {
    by_name: BTreeMap<String, ShardScope>,
    /// Shards that no other instance has.
    left: Option<ShardScope>,
}

impl RemoteSearcher {
    /// Waits for the parts of a federated search, replacing failed remotes.
    pub async fn gather_federated(
        &self,
        mut request: Arc<FederatedRequest>,
        asked: PendingAnswers<RemoteAnswer>,
        with_metadata: bool,
        deadline: Instant,
    ) -> GatheredAnswers {
        let (mut remotes, mut errors) = asked.answers().await;
        let mut tried = BTreeSet::new();
        let mut places: Vec<usize> = (0..request.queries.len()).collect();
        while let Some(next) = self.replaced(&request, &mut places, &mut errors, &mut tried) {
            request = Arc::new(next);
            let (now, none) = (places.iter().copied(), RemoteErrors::new());
            let asked = self.ask_places(&request, now, with_metadata, deadline, none);
            let (more, failed) = asked.answers().await;
            remotes.extend(more);
            errors.extend(failed);
        }
        GatheredAnswers { request, remotes, errors }
    }

    /// Waits for the answers to another kind of request; `ask` sends it to replacements.
    pub async fn gather<T>(
        &self,
        fan_out: &FanOut,
        asked: PendingAnswers<T>,
        ask: impl Fn(&FanOut) -> PendingAnswers<T>,
    ) -> (Vec<(String, T)>, RemoteErrors) {
        let (mut answers, mut errors) = asked.answers().await;
        let mut tried = BTreeSet::new();
        let mut asking = fan_out.clone();
        loop {
            let mut others: BTreeMap<String, ShardScope> = BTreeMap::new();
            for name in newly_failed(&errors, &mut tried) {
                let Some(scope) = asking.scope_of(&name) else { continue };
                let Some(substitutes) = self.substitutes(scope, &tried) else { continue };
                for (other, scope) in substitutes.by_name {
                    others.entry(other).or_default().join(scope);
                }
                if substitutes.left.is_none() {
                    errors.remove(&name);
                }
            }
            if others.is_empty() {
                return (answers, errors);
            }
            asking = fan_out.for_others(others.into_iter().collect());
            let (more, failed) = ask(&asking).answers().await;
            answers.extend(more);
            errors.extend(failed);
        }
    }

    /// Returns when a remote must have answered so that another can replace it: after half of the
    /// time, if there is one.
    pub(super) fn first_deadline<'s>(
        &self,
        remote: &str,
        mut shares: impl Iterator<Item = &'s ShardScope>,
        deadline: Instant,
    ) -> Instant {
        let tried = BTreeSet::from([remote.to_owned()]);
        let has_others =
            shares.all(|scope| self.substitutes(scope, &tried).is_some_and(|it| it.left.is_none()));
        let now = Instant::now();
        if has_others { now + deadline.saturating_duration_since(now) / 2 } else { deadline }
    }

    /// Returns the request with failed remotes replaced. `places` are the queries sent last, and
    /// then those to send now. Remotes that are no longer needed are no longer reported as failed.
    fn replaced(
        &self,
        request: &FederatedRequest,
        places: &mut Vec<usize>,
        errors: &mut RemoteErrors,
        tried: &mut BTreeSet<String>,
    ) -> Option<FederatedRequest> {
        // A recount concerns hits of the instances first asked.
        if request.is_recount() {
            return None;
        }
        let asked = std::mem::take(places);
        let mut next = request.clone();
        for failed in newly_failed(errors, tried) {
            let of_failed = |place: &&usize| {
                request.queries.get(**place).is_some_and(|it| it.remote.as_ref() == Some(&failed))
            };
            let mut known: Vec<(&ShardScope, Option<Substitutes>)> = Vec::new();
            for &place in asked.iter().filter(of_failed) {
                let scope = &request.queries[place].scope;
                // Queries for the same shards must go to the same replacements: a document that
                // several of them find is shown once.
                if !known.iter().any(|(other, _)| *other == scope) {
                    known.push((scope, self.substitutes(scope, tried)));
                }
                let found = known.iter().find(|(other, _)| *other == scope);
                if let Some((_, Some(substitutes))) = found {
                    substitutes.put_into(&mut next.queries, place, places);
                }
            }
            let is_whole = |substitutes: &Option<Substitutes>| {
                substitutes.as_ref().is_some_and(|substitutes| substitutes.left.is_none())
            };
            if !known.is_empty() && known.iter().all(|(_, substitutes)| is_whole(substitutes)) {
                errors.remove(&failed);
            }
        }
        (!places.is_empty()).then_some(next)
    }

    /// Returns instances with the same shards; none if no instance has any of them.
    fn substitutes(&self, scope: &ShardScope, tried: &BTreeSet<String>) -> Option<Substitutes> {
        let ShardScope::Shards { names, network } = scope else { return None };
        let is_wanted = |shard: &str| names.contains(shard);
        let is_available =
            |name: &str| !tried.contains(name) && self.availability.is_available(name);
        let plan = ShardPlan::of_shards(network, is_wanted, is_available, random_index);
        let of_shards = |names| ShardScope::Shards { names, network: Arc::clone(network) };
        let asked = plan.by_member.into_iter().map(|(name, shards)| (name, of_shards(shards)));
        let by_name: BTreeMap<String, ShardScope> = asked.collect();
        let missing: BTreeSet<String> = plan.missing.into_keys().collect();
        let left = (!missing.is_empty()).then(|| of_shards(missing));
        (!by_name.is_empty()).then_some(Substitutes { by_name, left })
    }
}

impl Substitutes {
    /// Adds their queries to the request. The query at `place` keeps the shards that no other
    /// instance has, or is replaced.
    fn put_into(&self, queries: &mut Vec<FederatedQuery>, place: usize, places: &mut Vec<usize>) {
        let original = queries[place].clone();
        let others = self.by_name.iter().map(|(name, scope)| FederatedQuery {
            remote: Some(name.clone()),
            scope: scope.clone(),
            ..original.clone()
        });
        let mut others = others.collect::<Vec<_>>().into_iter();
        match &self.left {
            Some(left) => queries[place].scope = left.clone(),
            None => {
                if let Some(first) = others.next() {
                    queries[place] = first;
                    places.push(place);
                }
            }
        }
        for other in others {
            places.push(queries.len());
            queries.push(other);
        }
    }
}

/// Returns the remotes that failed since the last call. An invalid request is invalid everywhere,
/// so it is not retried.
fn newly_failed(errors: &RemoteErrors, tried: &mut BTreeSet<String>) -> Vec<String> {
    let failed = errors.iter().filter(|(_, error)| error.code != Code::RemoteBadRequest);
    let new: Vec<String> =
        failed.map(|(name, _)| name.clone()).filter(|name| !tried.contains(name)).collect();
    tried.extend(errors.keys().cloned());
    new
}
