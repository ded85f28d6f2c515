//! Who sent a message: what is left of a request once its body is read, and all that a tool is
//! called with besides its arguments.

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

/// Results are written twice, as text and as JSON, and an assistant reads all of it: they may take
/// this part of what a search may answer.
const PART_OF_AN_ANSWER: u64 = 16;

impl Sender {
    pub fn of(call: Call) -> Self {
        let Call { headers, limits, links, .. } = call;
        let budget = AnswerBudget::of(limits.bounds.answer_size / PART_OF_AN_ANSWER);
        Self { headers, limits, links, budget }
    }
}
