//! Matches values against a facet query, as an automaton over the bytes of folded values.

use std::sync::LazyLock;

use fst::Automaton;
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use settings::Settings;
use settings::pattern::covers;

/// The automata of all words share one parametric form, which is expensive to build.
static ONE: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true));
static TWO: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true));

pub(super) enum Matcher {
    /// Values with this beginning.
    Beginning(String),
    /// This value alone.
    Whole(String),
    /// Values with this beginning, with typos.
    Near(DFA),
}

/// No value can match any more.
const DEAD: u32 = SINK_STATE;

impl Matcher {
    /// Creates a matcher; `query` is folded.
    pub fn new(settings: &Settings, facet: &str, query: String) -> Self {
        let typos = &settings.typo_tolerance;
        let is_exact = typos.disable_on_attributes.iter().any(|entry| covers(entry, facet));
        if !typos.enabled || is_exact {
            return Matcher::Beginning(query);
        }
        if typos.disable_on_words.contains(&query) {
            return Matcher::Whole(query);
        }
        // In bytes, unlike words, which are measured in characters.
        let length = query.len();
        if length < usize::from(typos.one_typo) {
            Matcher::Beginning(query)
        } else if length < usize::from(typos.two_typos) {
            Matcher::Near(ONE.build_prefix_dfa(&query))
        } else {
            Matcher::Near(TWO.build_prefix_dfa(&query))
        }
    }

    pub fn accepts(&self, folded: &str) -> bool {
        let end = folded.bytes().fold(self.start(), |state, byte| self.accept(&state, byte));
        self.is_match(&end)
    }
}

/// States are those of the automaton with typos, or the number of matched bytes plus one.
impl Automaton for Matcher {
    type State = u32;

    fn start(&self) -> u32 {
        match self {
            Matcher::Beginning(_) | Matcher::Whole(_) => 1,
            Matcher::Near(dfa) => dfa.initial_state(),
        }
    }

    fn is_match(&self, state: &u32) -> bool {
        match self {
            Matcher::Beginning(query) | Matcher::Whole(query) => *state as usize == query.len() + 1,
            Matcher::Near(dfa) => matches!(dfa.distance(*state), Distance::Exact(_)),
        }
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != DEAD
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        let step =
            |query: &str| query.as_bytes().get(*state as usize - 1).map(|next| *next == byte);
        match self {
            _ if *state == DEAD => DEAD,
            Matcher::Near(dfa) => dfa.transition(*state, byte),
            Matcher::Beginning(query) => match step(query) {
                Some(true) => state + 1,
                Some(false) => DEAD,
                None => *state,
            },
            Matcher::Whole(query) => {
                if step(query) == Some(true) {
                    state + 1
                } else {
                    DEAD
                }
            }
        }
    }
}
