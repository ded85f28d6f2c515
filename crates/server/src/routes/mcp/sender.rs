//! The sender of a message: the request without its body, as tools need it.

use std::sync::Arc;

use axum::http::HeaderMap;
use engine::search::AnswerBudget;

use crate::call::Call;
use crate::http::error::Links;
use crate::http::limits::Limits;

pub struct Sender {
    pub headers: HeaderMap,
    pub limits: Arc<Limits>,
    pub links: Links,
    /// Bounds the results of all messages of the request.
    pub budget: AnswerBudget,
}

/// Divisor of the answer limit of searches: results are written twice, as text and as JSON, and an
/// assistant reads all of it.
const PART_OF_AN_ANSWER: u64 = 16;

impl Sender {
    pub fn of(call: Call) -> Self {
        let Call { headers, limits, links, .. } = call;
        let budget = AnswerBudget::of(limits.bounds.answer_size / PART_OF_AN_ANSWER);
        Self { headers, limits, links, budget }
    }
}
