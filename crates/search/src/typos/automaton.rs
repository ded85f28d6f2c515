//! The edit distance of words to a query word, one character after the other. A swap of two
//! neighbours is one edit.
//!
//! After `n` characters of a word, only the positions from `n − 2` to `n + 2` of the query can have
//! been reached with two edits. A state holds one bit for each of them and each number of edits, so
//! that a step takes a few operations and a query word needs no preparation.

use std::ops::RangeInclusive;

/// Maximum number of edits.
const MOST_EDITS: usize = 2;
/// Positions from `n − MOST_EDITS` to `n + MOST_EDITS`.
const WINDOW: usize = 2 * MOST_EDITS + 1;
const WINDOW_MASK: u8 = (1 << WINDOW) - 1;
/// Padding before and after the characters of the query; equals no character.
const NO_CHARACTER: u32 = u32::MAX;

pub(crate) struct TypoAutomaton {
    /// The characters of the query, padded on both sides to the size of a window.
    characters: Vec<u32>,
    /// One bit for each of `characters` that equals an ASCII character. Only for queries that fit
    /// into the bits.
    masks: Option<Box<[u64; 128]>>,
    length: usize,
    most_edits: usize,
    is_prefix: bool,
}

/// The state after some characters of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypoState {
    /// Number of characters read.
    read: usize,
    /// Positions of the query that are reached with at most this number of edits.
    reached: [u8; MOST_EDITS + 1],
    /// Positions before a swapped pair of which the first character was read, by number of edits.
    in_swap: [u8; MOST_EDITS + 1],
}

/// The characters of the query at some places of a window.
pub(crate) struct Continuations<'a> {
    window: &'a [u32],
    places: u8,
}

impl Continuations<'_> {
    /// Returns the first bytes of the characters, in order and without duplicates.
    pub fn first_bytes(&self) -> impl Iterator<Item = u8> {
        let mut bytes = [None; WINDOW];
        for (place, &character) in self.window.iter().enumerate() {
            if self.places >> place & 1 == 1 {
                bytes[place] = char::from_u32(character).map(first_byte);
            }
        }
        bytes.sort_unstable();
        let is_new = move |place: &usize| *place == 0 || bytes[place - 1] != bytes[*place];
        (0..WINDOW).filter(is_new).filter_map(move |place| bytes[place])
    }
}

fn first_byte(character: char) -> u8 {
    let mut bytes = [0; 4];
    character.encode_utf8(&mut bytes).as_bytes()[0]
}

impl TypoAutomaton {
    /// Builds the automaton. `is_prefix`: a word counts like its nearest prefix.
    pub fn new(word: &str, most_edits: u8, is_prefix: bool) -> Self {
        let mut characters = vec![NO_CHARACTER; MOST_EDITS];
        characters.extend(word.chars().map(u32::from));
        let length = characters.len() - MOST_EDITS;
        characters.resize(length + 2 * (WINDOW + 1), NO_CHARACTER);
        let masks = (characters.len() <= u64::BITS as usize).then(|| {
            let mut masks = Box::new([0; 128]);
            for (place, &character) in characters.iter().enumerate() {
                if let Some(mask) = masks.get_mut(character as usize) {
                    *mask |= 1 << place;
                }
            }
            masks
        });
        let most_edits = usize::from(most_edits).min(MOST_EDITS);
        Self { characters, masks, length, most_edits, is_prefix }
    }

    pub fn start(&self) -> TypoState {
        let mut reached = [0; MOST_EDITS + 1];
        reached[0] = 1 << MOST_EDITS;
        let mut state = TypoState { read: 0, reached, in_swap: [0; MOST_EDITS + 1] };
        self.leave_out_characters(&mut state);
        state
    }

    /// Returns the state after one more character.
    #[inline]
    pub fn step(&self, state: TypoState, character: u32) -> TypoState {
        if self.is_prefix && self.is_settled(&state) {
            return state;
        }
        let mut next = TypoState {
            read: state.read + 1,
            reached: [0; MOST_EDITS + 1],
            in_swap: [0; MOST_EDITS + 1],
        };
        let equal = self.equal_in_window(state.read, character);
        // The window moves on by one, so an unchanged position moves back in it.
        next.reached[0] = state.reached[0] & equal;
        for edits in 1..=self.most_edits {
            let fewer = state.reached[edits - 1];
            let swapped = (state.in_swap[edits] & equal) << 1;
            let (substituted, inserted) = (fewer, fewer >> 1);
            next.reached[edits] = state.reached[edits] & equal | substituted | inserted | swapped;
            next.in_swap[edits] = (fewer & equal >> 1) >> 1;
        }
        self.leave_out_characters(&mut next);
        next
    }

    /// Returns a bit for each place of the window with this character, and for the place after it.
    #[inline]
    fn equal_in_window(&self, read: usize, character: u32) -> u8 {
        if let Some(masks) = &self.masks
            && let Some(mask) = masks.get(character as usize)
        {
            // No state survives that many characters.
            return (mask >> read.min(63)) as u8 & (WINDOW_MASK << 1 | 1);
        }
        let window = self.characters.get(read..=read + WINDOW).unwrap_or_default();
        (0..)
            .zip(window)
            .fold(0, |equal, (place, &other)| equal | u8::from(other == character) << place)
    }

    /// Returns the only characters that may follow, if no more edits are possible: a bit for each
    /// place of the window. `None` if any character may follow.
    #[inline]
    pub fn only_continuations(&self, state: &TypoState) -> Option<Continuations<'_>> {
        let is_spent = state.reached[..self.most_edits].iter().all(|reached| *reached == 0);
        if !is_spent || self.is_prefix && self.is_settled(state) {
            return None;
        }
        let places = state.reached[self.most_edits] | state.in_swap[self.most_edits];
        let window = self.characters.get(state.read..state.read + WINDOW)?;
        Some(Continuations { window, places })
    }

    /// Returns the number of edits between the query and the characters read, if it is small
    /// enough.
    pub fn distance(&self, state: &TypoState) -> Option<usize> {
        let end = self.end_bit(state)?;
        state.reached[..=self.most_edits].iter().position(|reached| reached & end != 0)
    }

    /// Returns the possible distances of words with this beginning; `None` if they have too many
    /// edits.
    #[inline]
    pub fn possible_distances(&self, state: &TypoState) -> Option<RangeInclusive<usize>> {
        let least = state.reached[..=self.most_edits].iter().position(|reached| *reached != 0)?;
        match self.distance(state) {
            Some(distance) if self.is_prefix && self.is_settled(state) => Some(distance..=distance),
            _ => Some(least..=self.most_edits),
        }
    }

    /// Returns whether no later character changes the distance of a prefix: all of the query was
    /// read, and no shorter prefix has fewer edits.
    fn is_settled(&self, state: &TypoState) -> bool {
        let Some(end) = self.end_bit(state) else {
            return false;
        };
        match self.distance(state) {
            Some(0) => true,
            Some(edits) => state.reached[edits - 1] & (end - 1) == 0,
            None => false,
        }
    }

    /// Returns the bit of the position after the last character; `None` if it is outside the
    /// window.
    #[inline]
    fn end_bit(&self, state: &TypoState) -> Option<u8> {
        let place = (self.length + MOST_EDITS).checked_sub(state.read)?;
        (place < WINDOW).then(|| 1 << place)
    }

    /// Adds the positions reached by skipping characters of the query, and those reached with fewer
    /// edits.
    #[inline]
    fn leave_out_characters(&self, state: &mut TypoState) {
        let mask = match (self.length + MOST_EDITS).checked_sub(state.read) {
            // Nothing is beyond the end.
            Some(place) if place < WINDOW => WINDOW_MASK >> (WINDOW - 1 - place),
            Some(_) => WINDOW_MASK,
            None => 0,
        };
        state.reached[0] &= mask;
        for edits in 1..=self.most_edits {
            let fewer = state.reached[edits - 1];
            state.reached[edits] |= fewer | fewer << 1;
            state.reached[edits] &= mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use levenshtein_automata::{Distance, LevenshteinAutomatonBuilder};
    use proptest::prelude::*;

    use super::*;

    fn distance(query: &str, most_edits: u8, is_prefix: bool, word: &str) -> Option<usize> {
        let automaton = TypoAutomaton::new(query, most_edits, is_prefix);
        let mut state = automaton.start();
        for character in word.chars() {
            automaton.possible_distances(&state)?;
            if let Some(only) = automaton.only_continuations(&state)
                && !only.first_bytes().any(|byte| byte == first_byte(character))
            {
                return None;
            }
            state = automaton.step(state, character.into());
        }
        automaton.distance(&state)
    }

    #[test]
    fn edits_are_counted() {
        let distance = |word| distance("harvest", 2, false, word);
        assert_eq!(distance("harvest"), Some(0));
        assert_eq!(distance("havrest"), Some(1));
        assert_eq!(distance("harvets"), Some(1));
        assert_eq!(distance("arvest"), Some(1));
        assert_eq!(distance("harvestor"), Some(2));
        assert_eq!(distance("hrvset"), Some(2));
        assert_eq!(distance("hrvsetx"), None);
        assert_eq!(distance(""), None);
    }

    #[test]
    fn long_words_have_distances_too() {
        let query = "é".repeat(200);
        assert_eq!(distance(&query, 2, false, &query), Some(0));
        assert_eq!(distance(&query, 2, false, &format!("{query}ab")), Some(2));
        assert_eq!(distance(&query, 2, true, &format!("{query}abcdef")), Some(0));
        assert_eq!(distance(&query, 1, false, &format!("{query}ab")), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn distances_are_those_of_the_reference(
            query in "[abcé]{1,9}",
            words in prop::collection::vec("[abcéx]{0,12}", 20),
            edited in prop::collection::vec((0..10_usize, "[abcéx]{0,2}", 0..3_usize), 20),
            most_edits in 1..=2_u8,
            is_prefix: bool,
        ) {
            let builder = LevenshteinAutomatonBuilder::new(most_edits, true);
            let reference = match is_prefix {
                true => builder.build_prefix_dfa(&query),
                false => builder.build_dfa(&query),
            };
            let characters: Vec<char> = query.chars().collect();
            let near = edited.into_iter().map(|(place, inserted, removed)| {
                let place = place.min(characters.len());
                let rest = &characters[(place + removed).min(characters.len())..];
                let mut word: String = characters[..place].iter().collect();
                word.push_str(&inserted);
                word.extend(rest);
                word
            });
            for word in words.into_iter().chain(near) {
                let expected = match reference.eval(&word) {
                    Distance::Exact(edits) => Some(usize::from(edits)),
                    Distance::AtLeast(_) => None,
                };
                let found = distance(&query, most_edits, is_prefix, &word);
                prop_assert_eq!(found, expected, "{} {}", query, word);
            }
        }
    }
}
