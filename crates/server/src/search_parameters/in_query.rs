//! The forms of parameters in a query string, which has neither lists nor objects: how each is sent,
//! and how objects are assembled from several parameters.

use model::{Code, ServiceError};
use serde_json::Value;

use super::body::{DEFAULT_SEMANTIC_RATIO, Hybrid, Personalize, Rerank};
use super::fusion::{FusionK, FusionName};
use super::parameter::{AttributeWeights, Boosts, Filter, Media, Parameter, Sort};
use super::table::SearchParameters;
use super::values::{
    Explicit, Items, Json, Locale, MatchingStrategy, RerankLimit, SemanticRatio, Threshold,
};
use crate::http::list::List;
use crate::http::query::Param;
use crate::http::selection::{filter_parameter, sort_parameter};
use crate::schema::{Schema, list, number, text};

/// A form that a query string can contain.
pub trait InQuery: Parameter {
    type Form;

    fn read(sent: Self::Form) -> Self::Value;

    fn schema() -> Schema {
        <Self as Parameter>::schema()
    }
}

/// A form that is assembled from several parameters of a query string, or that it cannot contain.
pub trait Assembled: Parameter {
    fn assembled(parts: &SearchParameters) -> Result<Self::Value, ServiceError>;
}

macro_rules! in_query {
    ($($form:ty: $sent:ty, $pattern:pat_param => $value:expr $(, $schema:expr)?;)*) => {$(
        impl InQuery for $form {
            type Form = $sent;

            fn read($pattern: $sent) -> Self::Value {
                $value
            }

            $(fn schema() -> Schema {
                $schema
            })?
        }
    )*};
}

in_query! {
    bool: Param<Self>, Param(on) => on;
    usize: Param<Self>, Param(number) => number;
    Threshold: Param<Self>, Param(threshold) => threshold;
    SemanticRatio: Param<Self>, Param(ratio) => ratio;
    FusionK: Param<Self>, Param(k) => k;
    RerankLimit: Param<Self>, Param(limit) => limit;
    String: Self, text => text;
    MatchingStrategy: Self, strategy => strategy;
    FusionName: Self, name => name;
    Vec<String>: List<String>, List(items) => items;
    Vec<f32>: Items<f32>, Items(numbers) => numbers, list(number());
    Vec<Locale>: Items<Locale>, Items(locales) => locales;
    Filter: String, filter => filter_parameter(filter), text();
    Sort: String, sort => sort_parameter(&sort);
    Boosts: Param<Json>, Param(Json(boosts)) => boosts, text();
    AttributeWeights: Param<Json>, Param(Json(weights)) => weights, text();
}

impl<T: InQuery> InQuery for Option<T> {
    type Form = T::Form;

    fn read(sent: T::Form) -> Self::Value {
        Some(T::read(sent))
    }

    fn schema() -> Schema {
        <T as InQuery>::schema()
    }
}

impl<T: InQuery> InQuery for Explicit<T> {
    type Form = T::Form;

    fn read(sent: T::Form) -> Self::Value {
        Explicit(Some(T::read(sent)))
    }
}

impl Assembled for Media {
    fn assembled(_: &SearchParameters) -> Result<Option<Value>, ServiceError> {
        Ok(None)
    }
}

impl Assembled for Option<Personalize> {
    fn assembled(parts: &SearchParameters) -> Result<Self, ServiceError> {
        Ok(parts.personalize_user_context.clone().map(|user_context| Personalize { user_context }))
    }
}

impl Assembled for Option<Rerank> {
    fn assembled(parts: &SearchParameters) -> Result<Self, ServiceError> {
        match (parts.rerank_reranker.clone(), parts.rerank_limit) {
            (None, Some(_)) => Err(ServiceError::new(
                Code::InvalidSearchRerank,
                "`rerankReranker` is mandatory when `rerankLimit` is present",
            )),
            (None, None) => Ok(None),
            (Some(reranker), limit) => {
                let limit = limit.map_or_else(RerankLimit::default, RerankLimit::read);
                Ok(Some(Rerank { reranker, limit }))
            }
        }
    }
}

impl Assembled for Option<Hybrid> {
    fn assembled(parts: &SearchParameters) -> Result<Self, ServiceError> {
        let mandatory = |code, other: &str| {
            let message = format!("`hybridEmbedder` is mandatory when `{other}` is present");
            Err(ServiceError::new(code, message))
        };
        let Some(embedder) = parts.hybrid_embedder.clone() else {
            if parts.hybrid_semantic_ratio.is_some() {
                return mandatory(Code::InvalidSearchHybridQuery, "hybridSemanticRatio");
            }
            if parts.hybrid_fusion.is_some() {
                return mandatory(Code::InvalidSearchHybridQuery, "hybridFusion");
            }
            if parts.hybrid_k.is_some() {
                return mandatory(Code::InvalidSearchHybridQuery, "hybridK");
            }
            if parts.vector.is_some() {
                return mandatory(Code::MissingSearchHybrid, "vector");
            }
            return Ok(None);
        };
        let semantic_ratio =
            parts.hybrid_semantic_ratio.map_or(DEFAULT_SEMANTIC_RATIO, SemanticRatio::read);
        let fusion = parts.hybrid_fusion.unwrap_or_default();
        let k = parts.hybrid_k.map(FusionK::read);
        let hybrid = Hybrid { semantic_ratio, embedder, fusion, k };
        hybrid.fusion("in parameter `hybridK`")?;
        Ok(Some(hybrid))
    }
}
