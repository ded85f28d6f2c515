//! Limits the size of an answer while it is written. A request of a kilobyte can ask for gigabytes,
//! so hits are counted as they are written, and too many are an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{Code, ServiceError};

/// Bytes that the answer to one request may take. Clones share them: all queries of a multi-search
/// have one budget.
#[derive(Debug, Clone)]
pub struct AnswerBudget {
    limit: u64,
    left: Arc<AtomicU64>,
}

impl AnswerBudget {
    pub fn of(bytes: u64) -> Self {
        Self { limit: bytes, left: Arc::new(AtomicU64::new(bytes)) }
    }

    /// Spends bytes, or fails if too few are left.
    pub fn spend(&self, bytes: usize) -> Result<(), ServiceError> {
        let less = |left: u64| left.checked_sub(bytes as u64);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.exceeded()),
        }
    }

    pub(crate) fn left(&self) -> usize {
        usize::try_from(self.left.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// Fails if an answer turned out too long once written.
    pub fn check(&self, answer: &str) -> Result<(), ServiceError> {
        if answer.len() as u64 > self.limit { Err(self.exceeded()) } else { Ok(()) }
    }

    pub(crate) fn exceeded(&self) -> ServiceError {
        ServiceError::new(
            Code::ResponseTooLarge,
            format!(
                "The answer would be larger than {} bytes. Ask for fewer hits or attributes, or \
                 raise `--search-answer-size-limit`, of which calls of tools have a sixteenth.",
                self.limit
            ),
        )
    }
}

impl Default for AnswerBudget {
    fn default() -> Self {
        Self::of(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_budget() {
        let budget = AnswerBudget::of(10);
        budget.clone().spend(6).unwrap();
        assert_eq!(budget.left(), 4);
        assert_eq!(budget.spend(5).unwrap_err().code, Code::ResponseTooLarge);
        budget.spend(4).unwrap();
        assert!(budget.check("0123456789").is_ok());
        assert!(budget.check("01234567890").is_err());
    }
}
