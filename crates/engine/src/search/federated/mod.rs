//! Federated search: several queries, over one or several indexes, whose hits become one list.
//!
//! It has two steps. [`Searcher::federated_part`] searches this instance: `plan.rs` reads the
//! queries index by index, in the order in which errors are reported; `part.rs` runs them in
//! parallel and merges those of each index. [`Searcher::federated_answer`] merges the indexes with
//! the results of other instances, each a [`PartialAnswer`], and writes only the hits that are
//! shown (`finish.rs`). Between the two, the caller can wait for other instances without holding a
//! search thread.
//!
//! For reranking, each instance scores its own hits in the first step, and the second orders all of
//! them by these scores (`rerank.rs`).

mod facets;
mod finish;
mod hybrid;
mod member;
mod part;
mod plan;
mod recount;
mod request;
mod rerank;

use std::sync::Arc;

use model::{Cancel, ServiceError};

use crate::search::Searcher;

pub use hybrid::{HybridMode, HybridSides};
pub use member::FederationMember;
pub use part::FederatedPart;
pub use recount::{Recount, Recounts};
pub use request::{
    FederatedAnswer, FederatedFacets, FederatedQuery, FederatedRequest, FoundHit, IndexFacets,
    MergeFacets, PartialAnswer, QueryTarget,
};

impl Searcher {
    /// Runs a federated search on this thread and on helpers. It is cancelled when the client is
    /// gone.
    pub fn federated_search(
        &self,
        request: Arc<FederatedRequest>,
        cancel: &Cancel,
    ) -> Result<FederatedAnswer, ServiceError> {
        let part = self.federated_part(request, cancel)?;
        self.federated_answer(part, Vec::new(), cancel)
    }
}
