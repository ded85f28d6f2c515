//! Counters of events since the start, for metrics.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// Maximum of pairs of workspace and model that are counted apart. Clients name models and could
/// make up any number; pairs beyond share one entry.
const MOST_PAIRS: usize = 500;
const OTHERS: &str = "others";

#[derive(Debug, Default)]
pub(crate) struct Counters {
    degraded_searches: AtomicU64,
    personalized_searches: AtomicU64,
    chat_searches: AtomicU64,
    tokens: Mutex<BTreeMap<(String, String), TokenCounts>>,
}

/// Tokens of conversations as counted by the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    pub prompt: u64,
    pub completion: u64,
    pub total: u64,
}

/// Tokens of one model in one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatTokens {
    pub workspace: String,
    pub model: String,
    pub counts: TokenCounts,
}

impl Counters {
    pub fn count_search(&self, is_degraded: bool) {
        if is_degraded {
            self.degraded_searches.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn count_personalized_search(&self) {
        self.personalized_searches.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_chat_search(&self) {
        self.chat_searches.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_tokens(&self, workspace: &str, model: &str, used: TokenCounts) {
        let mut tokens = self.tokens.lock();
        let mut key = (workspace.to_owned(), model.to_owned());
        if tokens.len() >= MOST_PAIRS && !tokens.contains_key(&key) {
            key = (OTHERS.to_owned(), OTHERS.to_owned());
        }
        let sum = tokens.entry(key).or_default();
        sum.prompt += used.prompt;
        sum.completion += used.completion;
        sum.total += used.total;
    }

    pub fn degraded_searches(&self) -> u64 {
        self.degraded_searches.load(Ordering::Relaxed)
    }

    pub fn personalized_searches(&self) -> u64 {
        self.personalized_searches.load(Ordering::Relaxed)
    }

    pub fn chat_searches(&self) -> u64 {
        self.chat_searches.load(Ordering::Relaxed)
    }

    pub fn tokens(&self) -> Vec<ChatTokens> {
        let tokens = self.tokens.lock();
        let entry = |((workspace, model), counts): (&(String, String), &TokenCounts)| ChatTokens {
            workspace: workspace.clone(),
            model: model.clone(),
            counts: *counts,
        };
        tokens.iter().map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_models_do_not_fill_the_memory() {
        let counters = Counters::default();
        let used = TokenCounts { prompt: 2, completion: 1, total: 3 };
        for number in 0..2 * MOST_PAIRS {
            counters.count_tokens("desk", &format!("m{number}"), used);
        }
        let tokens = counters.tokens();
        assert_eq!(tokens.len(), MOST_PAIRS + 1);
        let others = tokens.iter().find(|entry| entry.model == OTHERS).unwrap();
        assert_eq!(others.counts.total, 3 * MOST_PAIRS as u64);
    }
}
