//! The syntax tree of a filter. AND and OR hold all their members in one list, so the depth of a
//! tree is bounded by the depth limit of the parser, however long the filter is, and it can be
//! walked and dropped by plain recursion.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::Token;

#[derive(Debug, Clone)]
pub enum Condition {
    /// All of two or more members.
    And(Vec<Condition>),
    /// One of two or more members.
    Or(Vec<Condition>),
    /// The complement; never of a `Not`.
    Not(Box<Condition>),
    Compare {
        attribute: Token,
        operator: Operator,
    },
    /// The list may be empty.
    In {
        attribute: Token,
        values: Vec<Token>,
    },
    /// The arguments of geo conditions are spelled as decimal numbers. They may be too large for
    /// an `f64`, and coordinates need not be on Earth: that is checked where the tree is evaluated.
    GeoRadius {
        latitude: Token,
        longitude: Token,
        radius: Token,
        resolution: Option<Token>,
    },
    /// Corners are latitude, longitude.
    GeoBox {
        top_right: [Token; 2],
        bottom_left: [Token; 2],
    },
    /// Three or more points: latitude, longitude.
    GeoPolygon {
        points: Vec<[Token; 2]>,
    },
    Vectors(VectorCondition),
    /// `_foreign(attribute, condition)`: a condition on the documents of another index.
    Foreign {
        attribute: Token,
        condition: Box<Condition>,
        /// Ids of the documents that satisfy it, filled in by the caller that knows that index: see
        /// [`crate::Filter::with_ids`].
        ids: Option<Vec<Token>>,
    },
    Shard(ShardCondition),
}

/// A test of the value of an attribute. The negated forms (`NOT EXISTS`, `IS NOT NULL`, …) are a
/// [`Condition::Not`] around these, except `!=`.
#[derive(Debug, Clone)]
pub enum Operator {
    Equal(Token),
    NotEqual(Token),
    Greater(Token),
    GreaterOrEqual(Token),
    Less(Token),
    LessOrEqual(Token),
    Between { from: Token, to: Token },
    Exists,
    Null,
    Empty,
    Contains { keyword: Token, value: Token },
    StartsWith { keyword: Token, value: Token },
}

/// `_vectors[.<embedder>[.<kind>]] EXISTS`
#[derive(Debug, Clone)]
pub struct VectorCondition {
    /// The word `_vectors`.
    pub keyword: Token,
    /// Absent: any embedder (and the kind is then `Any`).
    pub embedder: Option<Token>,
    pub kind: VectorKind,
}

#[derive(Debug, Clone)]
pub enum VectorKind {
    Any,
    UserProvided,
    DocumentTemplate,
    Regenerate,
    /// Generated from the fragment of this name.
    Fragment(Token),
}

/// `_shard = s`, `_shard != s`, `_shard IN [s, …]`
#[derive(Debug, Clone)]
pub struct ShardCondition {
    /// The word `_shard`.
    pub keyword: Token,
    pub operator: ShardOperator,
    /// Filled in by the caller that knows the shards: see [`crate::Filter::with_shards`].
    pub documents: Option<Arc<RoaringBitmap>>,
}

#[derive(Debug, Clone)]
pub enum ShardOperator {
    Equal(Token),
    NotEqual(Token),
    In(Vec<Token>),
}

impl Condition {
    /// Returns the complement. Two negations cancel each other.
    pub(crate) fn negated(self) -> Condition {
        match self {
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// Joins conditions by AND; a single one is returned as it is, and `None` for an empty list.
    pub(crate) fn all_of(members: Vec<Condition>) -> Option<Condition> {
        one_or(members, Condition::And)
    }

    pub(crate) fn any_of(members: Vec<Condition>) -> Option<Condition> {
        one_or(members, Condition::Or)
    }
}

fn one_or(mut members: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Option<Condition> {
    if members.len() > 1 { Some(join(members)) } else { members.pop() }
}
