//! Types of the members of rerankers. `combine` checks which members a source takes.

use super::SourceKind;
use crate::embedder::HEADERS;
use crate::shape::{Member, Shape};

/// Rerankers by name; null removes one.
pub(crate) const RERANKERS: Shape = Shape::Dictionary(&Shape::OrNull(&RERANKER));

const RERANKER: Shape = Shape::Component(
    "Reranker",
    &Shape::Object(&[
        Member::resettable("source", Shape::Word(&SourceKind::NAMES)),
        Member::resettable("model", Shape::Text),
        Member::resettable("revision", Shape::Text),
        Member::resettable("apiKey", Shape::Text),
        Member::resettable("url", Shape::Text),
        Member::resettable("headers", HEADERS),
        Member::resettable("request", Shape::Anything),
        Member::resettable("response", Shape::Anything),
        Member::resettable("documentTemplate", Shape::Text),
        Member::resettable("documentTemplateMaxBytes", Shape::Integer),
        Member::resettable("timeoutMs", Shape::Integer),
    ]),
);
