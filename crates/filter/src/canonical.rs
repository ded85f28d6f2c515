//! The canonical spelling of a filter: names and values in double quotes, members of AND and OR and
//! the operand of NOT in parentheses. Errors met while a search evaluates a filter point into this
//! text, so the tree is rebuilt with tokens of it.
//!
//! The text is not parsed again: the added parentheses could exceed the depth limit.

use std::sync::Arc;

use crate::escapes::escape_into;
use crate::{
    Condition, Operator, ShardCondition, ShardOperator, Token, VectorCondition, VectorKind,
};

pub(crate) fn canonical(condition: &Condition) -> Condition {
    let source = text(condition).into();
    Rewriter { source, text: String::new() }.condition(condition)
}

pub(crate) fn text(condition: &Condition) -> String {
    let mut rewriter = Rewriter { source: Arc::default(), text: String::new() };
    rewriter.condition(condition);
    rewriter.text
}

/// Writes the text and, in the same way, the tokens in it. A first run, without `source`, writes
/// the text; a second one, with it, creates the tokens.
struct Rewriter {
    source: Arc<str>,
    text: String,
}

impl Rewriter {
    fn condition(&mut self, condition: &Condition) -> Condition {
        match condition {
            Condition::And(members) => Condition::And(self.members(members, " AND ")),
            Condition::Or(members) => Condition::Or(self.members(members, " OR ")),
            Condition::Not(inner) => {
                self.text.push_str("NOT ");
                Condition::Not(Box::new(self.parenthesised(inner)))
            }
            Condition::Compare { attribute, operator } => {
                let attribute = self.quoted(attribute);
                self.text.push(' ');
                Condition::Compare { attribute, operator: self.operator(operator) }
            }
            Condition::In { attribute, values } => {
                let attribute = self.quoted(attribute);
                Condition::In { attribute, values: self.in_list(values) }
            }
            Condition::GeoRadius { latitude, longitude, radius, resolution } => {
                self.text.push_str("_geoRadius(");
                let [latitude, longitude] = self.coordinates([latitude, longitude]);
                self.text.push_str(", ");
                let radius = self.bare(radius);
                let resolution = resolution.as_ref().map(|resolution| {
                    self.text.push_str(", ");
                    self.bare(resolution)
                });
                self.text.push(')');
                Condition::GeoRadius { latitude, longitude, radius, resolution }
            }
            Condition::GeoBox { top_right, bottom_left } => {
                self.text.push_str("_geoBoundingBox(");
                let top_right = self.point(top_right);
                self.text.push_str(", ");
                let bottom_left = self.point(bottom_left);
                self.text.push(')');
                Condition::GeoBox { top_right, bottom_left }
            }
            Condition::GeoPolygon { points } => {
                self.text.push_str("_geoPolygon(");
                let points = self.separated(points, ", ", Self::point);
                self.text.push(')');
                Condition::GeoPolygon { points }
            }
            Condition::Vectors(vectors) => Condition::Vectors(self.vectors(vectors)),
            Condition::Foreign { attribute, condition, ids } => {
                self.text.push_str("_foreign(");
                let attribute = self.quoted(attribute);
                self.text.push_str(", ");
                self.condition(condition);
                self.text.push(')');
                // Errors in it come from the foreign index and show the text as it was sent,
                // without the ids.
                Condition::Foreign { attribute, condition: condition.clone(), ids: ids.clone() }
            }
            Condition::Shard(shard) => Condition::Shard(self.shard(shard)),
        }
    }

    fn members(&mut self, members: &[Condition], separator: &str) -> Vec<Condition> {
        self.separated(members, separator, Self::parenthesised)
    }

    fn parenthesised(&mut self, condition: &Condition) -> Condition {
        self.text.push('(');
        let condition = self.condition(condition);
        self.text.push(')');
        condition
    }

    fn operator(&mut self, operator: &Operator) -> Operator {
        match operator {
            Operator::Equal(value) => Operator::Equal(self.sign("=", value)),
            Operator::NotEqual(value) => Operator::NotEqual(self.sign("!=", value)),
            Operator::Greater(value) => Operator::Greater(self.sign(">", value)),
            Operator::GreaterOrEqual(value) => Operator::GreaterOrEqual(self.sign(">=", value)),
            Operator::Less(value) => Operator::Less(self.sign("<", value)),
            Operator::LessOrEqual(value) => Operator::LessOrEqual(self.sign("<=", value)),
            Operator::Between { from, to } => {
                let from = self.quoted(from);
                self.text.push(' ');
                Operator::Between { from, to: self.sign("TO", to) }
            }
            Operator::Exists => {
                self.text.push_str("EXISTS");
                Operator::Exists
            }
            Operator::Null => {
                self.text.push_str("IS NULL");
                Operator::Null
            }
            Operator::Empty => {
                self.text.push_str("IS EMPTY");
                Operator::Empty
            }
            Operator::Contains { keyword, value } => {
                let keyword = self.bare(keyword);
                Operator::Contains { keyword, value: self.sign("", value) }
            }
            Operator::StartsWith { keyword, value } => {
                let keyword = self.bare(keyword);
                Operator::StartsWith { keyword, value: self.sign("", value) }
            }
        }
    }

    /// Writes an operator and the value after it.
    fn sign(&mut self, sign: &str, value: &Token) -> Token {
        self.text.push_str(sign);
        self.text.push(' ');
        self.quoted(value)
    }

    fn in_list(&mut self, values: &[Token]) -> Vec<Token> {
        self.text.push_str(" IN [");
        let values = self.separated(values, ", ", Self::quoted);
        self.text.push(']');
        values
    }

    fn vectors(&mut self, vectors: &VectorCondition) -> VectorCondition {
        let keyword = self.bare(&vectors.keyword);
        let embedder = vectors.embedder.as_ref().map(|embedder| {
            self.text.push('.');
            self.quoted(embedder)
        });
        let kind = match &vectors.kind {
            VectorKind::Fragment(name) => {
                self.text.push_str(".fragments.");
                VectorKind::Fragment(self.quoted(name))
            }
            other => {
                self.text.push_str(match other {
                    VectorKind::UserProvided => ".userProvided",
                    VectorKind::DocumentTemplate => ".documentTemplate",
                    VectorKind::Regenerate => ".regenerate",
                    VectorKind::Any | VectorKind::Fragment(_) => "",
                });
                other.clone()
            }
        };
        self.text.push_str(" EXISTS");
        VectorCondition { keyword, embedder, kind }
    }

    fn shard(&mut self, shard: &ShardCondition) -> ShardCondition {
        let keyword = self.bare(&shard.keyword);
        let operator = match &shard.operator {
            ShardOperator::Equal(value) => ShardOperator::Equal(self.sign(" =", value)),
            ShardOperator::NotEqual(value) => ShardOperator::NotEqual(self.sign(" !=", value)),
            ShardOperator::In(values) => ShardOperator::In(self.in_list(values)),
        };
        ShardCondition { keyword, operator, documents: shard.documents.clone() }
    }

    fn point(&mut self, [latitude, longitude]: &[Token; 2]) -> [Token; 2] {
        self.text.push('[');
        let point = self.coordinates([latitude, longitude]);
        self.text.push(']');
        point
    }

    fn coordinates(&mut self, [latitude, longitude]: [&Token; 2]) -> [Token; 2] {
        let latitude = self.bare(latitude);
        self.text.push_str(", ");
        [latitude, self.bare(longitude)]
    }

    fn separated<T, U>(
        &mut self,
        items: &[T],
        separator: &str,
        write: impl Fn(&mut Self, &T) -> U,
    ) -> Vec<U> {
        let mut written = Vec::with_capacity(items.len());
        for item in items {
            if !written.is_empty() {
                self.text.push_str(separator);
            }
            written.push(write(self, item));
        }
        written
    }

    fn bare(&mut self, token: &Token) -> Token {
        let start = self.text.len();
        self.text.push_str(token.value());
        Token::new(&self.source, start..self.text.len())
    }

    fn quoted(&mut self, token: &Token) -> Token {
        self.text.push('"');
        let start = self.text.len();
        escape_into(token.value(), &mut self.text);
        let span = start..self.text.len();
        self.text.push('"');
        if span.len() == token.value().len() {
            Token::new(&self.source, span)
        } else {
            Token::escaped(&self.source, span, token.value())
        }
    }
}
