//! The types of parameters: which value a body has, and how the OpenAPI document describes it.

use engine::search::{Fusion, Strategy};
use serde::Serialize;
use serde_json::Value;

use super::body::{DEFAULT_SEMANTIC_RATIO, Hybrid, Personalize, Rerank};
use super::fusion::{FusionK, FusionName};
use super::values::{Explicit, Locale, MatchingStrategy, RerankLimit, SemanticRatio, Threshold};
use crate::schema::{Schema, anything, boolean, integer, list, map, named, number, one_of, text};

/// The form of a parameter in a body.
pub trait Parameter {
    type Value;

    fn schema() -> Schema;
}

/// A form for which the table has a default.
pub trait WithDefault: Parameter {
    type Default: Serialize;

    /// Returns the value of a parameter that was not sent.
    fn unsent(default: Self::Default) -> Self::Value;
}

macro_rules! parameters {
    ($($form:ty: $value:ty, $schema:expr;)*) => {$(
        impl Parameter for $form {
            type Value = $value;

            fn schema() -> Schema {
                $schema
            }
        }
    )*};
}

// Forms whose values are not checked by type.

/// A filter in one of its JSON forms.
#[derive(Debug)]
pub enum Filter {}

#[derive(Debug)]
pub enum Sort {}

#[derive(Debug)]
pub enum Boosts {}

#[derive(Debug)]
pub enum AttributeWeights {}

/// The media that an embedder with fragments embeds: any JSON.
#[derive(Debug)]
pub enum Media {}

parameters! {
    bool: Self, boolean();
    usize: Self, integer();
    String: Self, text();
    Vec<String>: Self, list(text());
    Vec<f32>: Self, named("Vector");
    Vec<Locale>: Self, list(text());
    MatchingStrategy: Self, one_of(Strategy::NAMES).default("last".into());
    Threshold: Self, number().between(0, 1);
    SemanticRatio: Self, number().between(0, 1).default(DEFAULT_SEMANTIC_RATIO.0.into());
    FusionName: Self, one_of(&["score", "rrf", "normalized"]).default("score".into());
    FusionK: Self, integer().between(1, Fusion::MAX_K.into()).default(Fusion::DEFAULT_K.into());
    RerankLimit: Self, integer().between(1, Self::MOST as u64).default(Self::default().0.into());
    Hybrid: Self, named("Hybrid");
    Personalize: Self, named("Personalize");
    Rerank: Self, named("Rerank");
    Filter: Option<Value>, named("Filter").or_null();
    Sort: Vec<String>, list(text());
    Boosts: Value, list(named("Boost"));
    AttributeWeights: Value, map(number().between(0, 1000));
    Media: Option<Value>, anything();
}

impl<T: Parameter> Parameter for Option<T> {
    type Value = Option<T::Value>;

    fn schema() -> Schema {
        T::schema().or_null()
    }
}

impl<T: Parameter> Parameter for Explicit<T> {
    type Value = Explicit<T::Value>;

    fn schema() -> Schema {
        T::schema()
    }
}

impl WithDefault for bool {
    type Default = Self;

    fn unsent(default: Self) -> Self {
        default
    }
}

impl WithDefault for usize {
    type Default = Self;

    fn unsent(default: Self) -> Self {
        default
    }
}

impl WithDefault for String {
    type Default = &'static str;

    fn unsent(default: &'static str) -> Self {
        default.to_owned()
    }
}

impl<T: Parameter + Serialize> WithDefault for Explicit<T> {
    type Default = T;

    fn unsent(_: T) -> Self::Value {
        Explicit(None)
    }
}
