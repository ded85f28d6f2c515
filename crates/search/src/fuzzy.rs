//! The words of a dictionary that are within a few typos of a query word. The dictionary is met
//! with a Levenshtein automaton: only the branches that can still lead to a match are walked.

use std::sync::LazyLock;

use fst::raw::{CompiledAddr, Fst};
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};

/// More words than these are not taken, in byte order.
const MAX_ONE_TYPO: usize = 150;
const MAX_TWO_TYPOS: usize = 50;

/// The automata of all words share one parametric form, which is costly to make.
pub(crate) static ONE: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true));
pub(crate) static TWO: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true));

/// Ordinals of the words found, by typo level.
#[derive(Debug, Default)]
pub(crate) struct Variants {
    pub one_typo: Vec<u32>,
    pub two_typos: Vec<u32>,
}

/// A query word ready to be looked up in any number of dictionaries.
pub(crate) struct FuzzyWord {
    /// For words with the same first character.
    near: DFA,
    /// For words with another one, when two typos are allowed: they have one at their beginning,
    /// which counts twice, and no other.
    far: Option<DFA>,
    budget: u8,
    first_char_bytes: usize,
    first_char: [u8; 4],
}

struct Walk<'f, D> {
    automaton: &'f DFA,
    dictionary: &'f Fst<D>,
    skip_numbers: bool,
    /// The word that leads to the current node.
    path: Vec<u8>,
    found: [Vec<u32>; 3],
    /// More than so many of a distance are not taken.
    most: [usize; 3],
    /// Words that begin so are left out.
    not_first: &'f [u8],
}

impl FuzzyWord {
    /// `budget` is 1 or 2.
    pub fn new(word: &str, is_prefix: bool, budget: u8) -> Self {
        let build = |builder: &LevenshteinAutomatonBuilder| {
            if is_prefix { builder.build_prefix_dfa(word) } else { builder.build_dfa(word) }
        };
        let mut first_char = [0; 4];
        let first_char_bytes =
            word.chars().next().map_or(0, |first| first.encode_utf8(&mut first_char).len());
        Self {
            near: build(if budget == 1 { &ONE } else { &TWO }),
            far: (budget > 1).then(|| build(&ONE)),
            budget,
            first_char_bytes,
            first_char,
        }
    }

    /// `skip_numbers`: words of digits and punctuation are not taken.
    pub fn variants<D: AsRef<[u8]>>(&self, dictionary: &Fst<D>, skip_numbers: bool) -> Variants {
        let most_of_two = if self.budget == 2 { MAX_TWO_TYPOS } else { 0 };
        let mut near = Walk {
            automaton: &self.near,
            dictionary,
            skip_numbers,
            path: Vec::with_capacity(32),
            found: Default::default(),
            most: [0, MAX_ONE_TYPO, most_of_two],
            not_first: &[],
        };
        near.visit_below(self.first_bytes());
        let [_, one_typo, mut two_typos] = near.found;
        if let Some(automaton) = &self.far {
            let mut far = Walk {
                automaton,
                dictionary,
                skip_numbers,
                path: Vec::with_capacity(32),
                found: Default::default(),
                most: [0, MAX_TWO_TYPOS, 0],
                not_first: self.first_bytes(),
            };
            far.visit_below(&[]);
            let [_, another_beginning, _] = far.found;
            two_typos.extend(another_beginning);
            two_typos.sort_unstable();
        }
        Variants { one_typo, two_typos }
    }

    fn first_bytes(&self) -> &[u8] {
        &self.first_char[..self.first_char_bytes]
    }
}

impl<D: AsRef<[u8]>> Walk<'_, D> {
    /// All words with this beginning.
    fn visit_below(&mut self, beginning: &[u8]) {
        let mut node = self.dictionary.root();
        let mut output = 0;
        let mut state = self.automaton.initial_state();
        for &byte in beginning {
            let Some(place) = node.find_input(byte) else {
                return;
            };
            let transition = node.transition(place);
            output += transition.out.value();
            state = self.automaton.transition(state, byte);
            self.path.push(byte);
            node = self.dictionary.node(transition.addr);
        }
        self.visit(node.addr(), output, state);
    }

    fn visit(&mut self, address: CompiledAddr, output: u64, state: u32) {
        if state == SINK_STATE || self.is_full() {
            return;
        }
        let node = self.dictionary.node(address);
        if node.is_final() {
            self.take(output + node.final_output().value(), state);
        }
        for transition in node.transitions() {
            let next = self.automaton.transition(state, transition.inp);
            if next == SINK_STATE {
                continue;
            }
            self.path.push(transition.inp);
            if self.not_first.is_empty() || self.path != self.not_first {
                self.visit(transition.addr, output + transition.out.value(), next);
            }
            self.path.pop();
        }
    }

    fn take(&mut self, ordinal: u64, state: u32) {
        let Distance::Exact(distance) = self.automaton.distance(state) else {
            return;
        };
        let distance = usize::from(distance);
        if self.skip_numbers && is_number(&self.path) {
            return;
        }
        if self.found[distance].len() < self.most[distance] {
            self.found[distance].push(ordinal as u32);
        }
    }

    fn is_full(&self) -> bool {
        self.found.iter().zip(self.most).all(|(found, most)| found.len() >= most)
    }
}

/// Made of digits and ASCII punctuation only.
pub(crate) fn is_number(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(word: &str, is_prefix: bool, budget: u8, words: &[&str]) -> [Vec<String>; 2] {
        let mut sorted: Vec<&str> = words.to_vec();
        sorted.sort_unstable();
        let map = fst::Map::from_iter(sorted.iter().zip(0u64..)).unwrap();
        let found = FuzzyWord::new(word, is_prefix, budget).variants(map.as_fst(), false);
        [found.one_typo, found.two_typos].map(|level| {
            level.into_iter().map(|ordinal| sorted[ordinal as usize].to_owned()).collect()
        })
    }

    #[test]
    fn levels_of_worked_example_2() {
        let words = [
            "harvester",
            "harvestor",
            "havrester",
            "harvesturs",
            "garvester",
            "garvestor",
            "harvesters",
        ];
        let [one, two] = variants("harvester", false, 2, &words);
        assert_eq!(one, ["harvesters", "harvestor", "havrester"]);
        assert_eq!(two, ["garvester", "harvesturs"]);
        let [one, two] = variants("harvester", true, 2, &words);
        assert_eq!(one, ["harvestor", "harvesturs", "havrester"]);
        assert_eq!(two, ["garvester"]);
    }

    #[test]
    fn one_typo_keeps_the_first_character() {
        let [one, two] = variants("tulip", false, 1, &["tulip", "tulips", "julip", "tuilp", "tul"]);
        assert_eq!(one, ["tuilp", "tulips"]);
        assert!(two.is_empty());
        let [one, _] = variants("élan", false, 1, &["elan", "élans", "élan"]);
        assert_eq!(one, ["élans"]);
    }
}
