//! The objects in the bodies of searches, and the defaults. Their fields are in the order in which
//! messages list them.

use deserr::Deserr;
use engine::search::{Fusion, RerankRequest};
use model::{Code, ServiceError};

use super::fusion::{FusionK, FusionName};
pub use super::table::{QueryBody, SearchBody};
use super::values::{RerankLimit, SemanticRatio, Weight};
use crate::http::field_error::body_code;
use crate::http::json::BodyError;

pub const DEFAULT_CROP_LENGTH: usize = 10;
pub const DEFAULT_CROP_MARKER: &str = "…";
pub const DEFAULT_PRE_TAG: &str = "<em>";
pub const DEFAULT_POST_TAG: &str = "</em>";
pub const DEFAULT_SEMANTIC_RATIO: SemanticRatio = SemanticRatio(0.5);

/// How the hits of a query take part in a federated search.
#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
pub struct FederationOptions {
    #[deserr(default, error = body_code!(InvalidMultiSearchWeight))]
    pub weight: Weight,
    #[deserr(default, error = body_code!(InvalidMultiSearchRemote))]
    pub remote: Option<String>,
    #[deserr(default, error = body_code!(InvalidMultiSearchQueryPosition))]
    pub query_position: Option<usize>,
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchHybridQuery), rename_all = camelCase, deny_unknown_fields)]
pub struct Hybrid {
    #[deserr(default = DEFAULT_SEMANTIC_RATIO, error = body_code!(InvalidSearchSemanticRatio))]
    pub semantic_ratio: SemanticRatio,
    #[deserr(error = body_code!(InvalidSearchEmbedder))]
    pub embedder: String,
    #[deserr(default, error = body_code!(InvalidSearchHybridFusion))]
    pub fusion: FusionName,
    #[deserr(default, error = body_code!(InvalidSearchHybridK))]
    pub k: Option<FusionK>,
}

impl Hybrid {
    /// Returns the fusion method. `at` says where `k` was sent.
    pub fn fusion(&self, at: &str) -> Result<Fusion, ServiceError> {
        let k = self.k.map(|FusionK(k)| k);
        match (self.fusion, k) {
            (FusionName::Rrf, k) => Ok(Fusion::Rrf { k: k.unwrap_or(Fusion::DEFAULT_K) }),
            (FusionName::Score, None) => Ok(Fusion::Score),
            (FusionName::Normalized, None) => Ok(Fusion::Normalized),
            (_, Some(_)) => Err(ServiceError::new(
                Code::InvalidSearchHybridK,
                format!("Invalid value {at}: `k` counts only where `fusion` is `rrf`."),
            )),
        }
    }
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchRerank), rename_all = camelCase, deny_unknown_fields)]
pub struct Rerank {
    #[deserr(error = body_code!(InvalidSearchRerank))]
    pub reranker: String,
    #[deserr(default, error = body_code!(InvalidSearchRerank))]
    pub limit: RerankLimit,
}

impl From<Rerank> for RerankRequest {
    fn from(Rerank { reranker, limit }: Rerank) -> Self {
        Self { reranker, limit: limit.0 }
    }
}

#[derive(Debug, Deserr)]
#[deserr(error = body_code!(InvalidSearchPersonalize), rename_all = camelCase, deny_unknown_fields)]
pub struct Personalize {
    #[deserr(error = body_code!(InvalidSearchPersonalizeUserContext))]
    pub user_context: String,
}
