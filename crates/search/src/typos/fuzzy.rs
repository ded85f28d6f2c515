//! Finds the words of a dictionary within a few typos of a query word. Only branches of the
//! dictionary that can still lead to a match are walked.

use fst::raw::{CompiledAddr, Fst, Transition};

use super::automaton::{TypoAutomaton, TypoState};

/// Maximum number of variants with one typo; the first ones in byte order are taken.
const MAX_ONE_TYPO: usize = 150;
const MAX_TWO_TYPOS: usize = 50;

/// Ordinals of the matching words, by typo level.
#[derive(Debug, Default)]
pub(crate) struct Variants {
    pub one_typo: Vec<u32>,
    pub two_typos: Vec<u32>,
}

/// A query word prepared for lookups in any number of dictionaries.
pub(crate) struct FuzzyWord {
    /// For words with the same first character.
    near: TypoAutomaton,
    /// For words with another first character, if two typos are allowed: they have one at their
    /// beginning, which counts twice, and no other.
    far: Option<TypoAutomaton>,
    budget: u8,
    first_char_bytes: usize,
    first_char: [u8; 4],
}

struct Walk<'f, D> {
    automaton: &'f TypoAutomaton,
    dictionary: &'f Fst<D>,
    skip_numbers: bool,
    /// The word that leads to the current node.
    path: Vec<u8>,
    found: [Vec<u32>; 3],
    /// Maximum number of variants by number of typos.
    most: [usize; 3],
    /// Words with this beginning are skipped.
    not_first: &'f [u8],
}

/// The bytes of a character that were read before its last one.
#[derive(Clone, Copy, Default)]
struct CharHead {
    bits: u32,
    missing_bytes: u8,
}

impl FuzzyWord {
    /// Prepares a word; `budget` is 1 or 2.
    pub fn new(word: &str, is_prefix: bool, budget: u8) -> Self {
        let mut first_char = [0; 4];
        let first_char_bytes =
            word.chars().next().map_or(0, |first| first.encode_utf8(&mut first_char).len());
        Self {
            near: TypoAutomaton::new(word, budget, is_prefix),
            far: (budget > 1).then(|| TypoAutomaton::new(word, 1, is_prefix)),
            budget,
            first_char_bytes,
            first_char,
        }
    }

    /// Returns the matching words. `skip_numbers` excludes words of digits and punctuation.
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
    /// Visits all words with this beginning.
    fn visit_below(&mut self, beginning: &[u8]) {
        let mut node = self.dictionary.root();
        let mut output = 0;
        let (mut state, mut head) = (self.automaton.start(), CharHead::default());
        for &byte in beginning {
            let Some(place) = node.find_input(byte) else {
                return;
            };
            let transition = node.transition(place);
            output += transition.out.value();
            (state, head) = self.read(state, head, byte);
            self.path.push(byte);
            node = self.dictionary.node(transition.addr);
        }
        self.visit(node.addr(), output, state, head);
    }

    fn visit(&mut self, address: CompiledAddr, output: u64, state: TypoState, head: CharHead) {
        let node = self.dictionary.node(address);
        if node.is_final() {
            self.take(output + node.final_output().value(), &state);
        }
        if head.missing_bytes == 0
            && let Some(only) = self.automaton.only_continuations(&state)
        {
            for byte in only.first_bytes() {
                if let Some(place) = node.find_input(byte) {
                    self.follow(node.transition(place), output, state, head);
                }
            }
            return;
        }
        for transition in node.transitions() {
            self.follow(transition, output, state, head);
        }
    }

    fn follow(&mut self, transition: Transition, output: u64, state: TypoState, head: CharHead) {
        let (next, head) = self.read(state, head, transition.inp);
        if !self.may_take(&next) {
            return;
        }
        self.path.push(transition.inp);
        if self.not_first.is_empty() || self.path != self.not_first {
            self.visit(transition.addr, output + transition.out.value(), next, head);
        }
        self.path.pop();
    }

    /// Returns the state after one more byte.
    #[inline]
    fn read(&self, state: TypoState, head: CharHead, byte: u8) -> (TypoState, CharHead) {
        let head = match (head.missing_bytes, byte) {
            (0, ..0x80) => return (self.automaton.step(state, byte.into()), head),
            (0, ..0xE0) => CharHead { bits: u32::from(byte & 0x1F), missing_bytes: 1 },
            (0, ..0xF0) => CharHead { bits: u32::from(byte & 0x0F), missing_bytes: 2 },
            (0, _) => CharHead { bits: u32::from(byte & 0x07), missing_bytes: 3 },
            (missing, _) => CharHead {
                bits: head.bits << 6 | u32::from(byte & 0x3F),
                missing_bytes: missing - 1,
            },
        };
        match head.missing_bytes {
            0 => (self.automaton.step(state, head.bits), CharHead::default()),
            _ => (state, head),
        }
    }

    /// Returns whether words with this beginning can match and the limit is not reached.
    #[inline]
    fn may_take(&self, state: &TypoState) -> bool {
        let Some(possible) = self.automaton.possible_distances(state) else {
            return false;
        };
        possible.into_iter().any(|distance| self.found[distance].len() < self.most[distance])
    }

    fn take(&mut self, ordinal: u64, state: &TypoState) {
        let Some(distance) = self.automaton.distance(state) else {
            return;
        };
        if self.skip_numbers && is_number(&self.path) {
            return;
        }
        if self.found[distance].len() < self.most[distance] {
            self.found[distance].push(ordinal as u32);
        }
    }
}

/// Returns whether a word consists of digits and ASCII punctuation only.
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
