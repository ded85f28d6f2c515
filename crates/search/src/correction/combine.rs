//! Finds the best combinations of choices word by word, continuing with the partial combinations
//! that occur in the most documents.

use roaring::RoaringBitmap;

use super::TYPO_COST;
use super::choices::Choice;
use super::slots::Slot;
use crate::context::Context;
use crate::error::SearchError;

/// Maximum number of partial combinations kept (beam width).
const MOST_COMBINATIONS: usize = 8;

/// A choice for every word of the query.
#[derive(Debug, Clone)]
pub(super) struct Combination<'c> {
    /// Choices with the index of the first word that they replace.
    pub chosen: Vec<(usize, &'c Choice)>,
    pub typos: u8,
}

impl Combination<'_> {
    /// Returns the words in order.
    pub fn words(&self, slots: &[Slot]) -> Vec<String> {
        let mut words = Vec::with_capacity(slots.len());
        for (place, choice) in &self.chosen {
            match &choice.words {
                Some(others) => words.extend(others.iter().cloned()),
                None => words.push(slots[*place].word.clone()),
            }
        }
        words
    }

    /// Returns the words that restrict nothing.
    pub fn unmatched<'s>(&self, slots: &'s [Slot]) -> Vec<&'s str> {
        let unmatched = self.chosen.iter().filter(|(_, choice)| choice.documents.is_none());
        unmatched.map(|(place, _)| slots[*place].word.as_str()).collect()
    }
}

struct Partial<'c> {
    combination: Combination<'c>,
    documents: RoaringBitmap,
}

/// Returns the combinations that occur in at least one document.
pub(super) fn combinations<'c>(
    context: &Context<'_>,
    choices: &'c [Vec<Choice>],
    universe: &RoaringBitmap,
) -> Result<Vec<Combination<'c>>, SearchError> {
    let begin = Partial {
        combination: Combination { chosen: Vec::new(), typos: 0 },
        documents: universe.clone(),
    };
    // Partial combinations by the number of words they cover.
    let mut partials: Vec<Vec<Partial<'c>>> = Vec::new();
    partials.resize_with(choices.len() + 1, Vec::new);
    partials[0].push(begin);
    for (place, of_word) in choices.iter().enumerate() {
        context.check_cancelled()?;
        if context.is_late() {
            return Ok(Vec::new());
        }
        let mut here = std::mem::take(&mut partials[place]);
        keep_best(&mut here);
        for partial in here {
            for choice in of_word {
                let documents = match &choice.documents {
                    Some(documents) => &partial.documents & documents,
                    None => partial.documents.clone(),
                };
                if documents.is_empty() {
                    continue;
                }
                let mut combination = partial.combination.clone();
                combination.chosen.push((place, choice));
                combination.typos = combination.typos.saturating_add(choice.typos);
                partials[place + choice.span].push(Partial { combination, documents });
            }
        }
    }
    let mut whole = partials.pop().unwrap_or_default();
    keep_best(&mut whole);
    Ok(whole.into_iter().map(|partial| partial.combination).collect())
}

fn keep_best(partials: &mut Vec<Partial<'_>>) {
    let weight = |partial: &Partial<'_>| {
        partial.documents.len() as f64 / TYPO_COST.powi(partial.combination.typos.into())
    };
    partials.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    partials.truncate(MOST_COMBINATIONS);
}
