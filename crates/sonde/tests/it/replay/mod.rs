//! Replays recorded conversations against the real program: what a scenario is, how answers are
//! compared, and which steps wait for features that are not built yet.

pub mod compare;
pub mod player;
pub mod scenario;
pub mod skips;
