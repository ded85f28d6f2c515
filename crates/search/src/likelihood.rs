//! Noisy-channel estimate of how likely a typed word stands for another word. A word is more likely
//! if the edits between the two are likely and if many documents contain it.
//!
//! The costs of edits are natural logarithms of probabilities, rounded. They follow from lists of
//! misspellings: letters are swapped and doubled more often than replaced; vowels, letters that
//! sound alike and keyboard neighbours are confused; the first letter is seldom wrong.

/// Swap of two neighbours.
const SWAP: f64 = 2.0;
/// One letter instead of two equal ones, or vice versa.
const DOUBLING: f64 = 2.0;
const MISSING: f64 = 3.0;
const ADDED: f64 = 3.0;
const VOWEL_FOR_VOWEL: f64 = 2.0;
const ALIKE: f64 = 3.0;
const OTHER_LETTER: f64 = 4.5;
/// Additional cost if the first letter is wrong.
const FIRST_LETTER: f64 = 2.0;
/// An unfinished word.
const UNFINISHED: f64 = 4.0;
/// A space was left out.
const MISSING_SPACE: f64 = 3.0;

/// Weight of the logarithm of the document frequency. It is below 1 because queries ask for rare
/// words more often than texts use them.
const FREQUENCY_SHARE: f64 = 0.5;

/// Maximum number of edits considered: no word has more typos.
const MOST_EDITS: usize = 2;

const VOWELS: &str = "aeiouy";
const SOUND_ALIKE: [&str; 8] = ["csz", "ckq", "gj", "dt", "fv", "mn", "bp", "iy"];
const KEYBOARD: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Returns the log-likelihood, up to a constant, that a word in this many documents was meant.
/// `is_prefix`: the typed text may be the beginning of a word.
pub(crate) fn of_word(typed: &[char], word: &[char], is_prefix: bool, documents: u64) -> f64 {
    of_frequency(documents) - cost(typed, word, is_prefix)
}

/// Returns the log-likelihood of the words that begin with the typed text, by the document
/// frequency of the most frequent one.
pub(crate) fn of_completions(documents: u64) -> f64 {
    of_frequency(documents) - UNFINISHED
}

/// Returns the log-likelihood that a space was left out between two words.
pub(crate) fn of_split(documents: u64) -> f64 {
    of_frequency(documents) - MISSING_SPACE
}

fn of_frequency(documents: u64) -> f64 {
    FREQUENCY_SHARE * (documents.max(1) as f64).ln()
}

/// Returns the least cost of the edits that turn `word` into the typed text. Words that need more
/// edits than a typo may have cost as much as all of their letters.
fn cost(typed: &[char], word: &[char], is_prefix: bool) -> f64 {
    let most = OTHER_LETTER * typed.len().max(1) as f64 + UNFINISHED;
    // Rows by letters of the word, then by typed letters.
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(word.len() + 1);
    let mut unfinished = f64::INFINITY;
    for read in 0..=word.len().min(typed.len() + MOST_EDITS) {
        let mut row = vec![f64::INFINITY; typed.len() + 1];
        let end = (read + MOST_EDITS).min(typed.len());
        for place in read.saturating_sub(MOST_EDITS)..=end {
            row[place] = cell(typed, word, read, place, &rows, &row);
        }
        if is_prefix && read < word.len() {
            unfinished = unfinished.min(row[typed.len()] + UNFINISHED);
        }
        rows.push(row);
    }
    let finished = rows.get(word.len()).map_or(f64::INFINITY, |row| row[typed.len()]);
    finished.min(unfinished).min(most)
}

/// Returns the cost of the first typed letters for the first letters of a word.
fn cell(
    typed: &[char],
    word: &[char],
    read: usize,
    place: usize,
    rows: &[Vec<f64>],
    row: &[f64],
) -> f64 {
    if (read, place) == (0, 0) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    if read > 0 && place > 0 {
        let edit = match (word[read - 1], typed[place - 1]) {
            (meant, typed) if meant == typed => 0.0,
            (meant, typed) => replaced(meant, typed) + at_first(read),
        };
        least = least.min(rows[read - 1][place - 1] + edit);
    }
    if read > 0 {
        let edit = if has_equal_neighbour(word, read - 1) { DOUBLING } else { MISSING };
        least = least.min(rows[read - 1][place] + edit + at_first(read));
    }
    if place > 0 {
        let edit = if has_equal_neighbour(typed, place - 1) { DOUBLING } else { ADDED };
        least = least.min(row[place - 1] + edit + at_first(place));
    }
    if read > 1
        && place > 1
        && (word[read - 1], word[read - 2]) == (typed[place - 2], typed[place - 1])
    {
        least = least.min(rows[read - 2][place - 2] + SWAP + at_first(read - 1));
    }
    least
}

/// Returns the additional cost of an edit by the number of the letter.
fn at_first(letter: usize) -> f64 {
    if letter == 1 { FIRST_LETTER } else { 0.0 }
}

fn has_equal_neighbour(letters: &[char], place: usize) -> bool {
    place > 0 && letters[place - 1] == letters[place]
        || letters.get(place + 1) == Some(&letters[place])
}

fn replaced(meant: char, typed: char) -> f64 {
    let are_both_in = |letters: &str| letters.contains(meant) && letters.contains(typed);
    if are_both_in(VOWELS) {
        VOWEL_FOR_VOWEL
    } else if SOUND_ALIKE.into_iter().any(are_both_in) || are_neighbouring_keys(meant, typed) {
        ALIKE
    } else {
        OTHER_LETTER
    }
}

fn are_neighbouring_keys(one: char, other: char) -> bool {
    // Each row is half a key to the right of the one above it.
    let place = |letter: char| {
        let mut rows = (0..).zip(KEYBOARD);
        rows.find_map(|(row, letters)| Some((row, 2 * letters.find(letter)? as i32 + row)))
    };
    match (place(one), place(other)) {
        (Some((row, column)), Some((other_row, other_column))) => {
            i32::abs(row - other_row) <= 1 && i32::abs(column - other_column) <= 2
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(typed: &str, word: &str) -> f64 {
        let letters = |word: &str| word.chars().collect::<Vec<char>>();
        super::cost(&letters(typed), &letters(word), false)
    }

    #[test]
    fn likely_edits_cost_less() {
        for (typed, likely, less_likely) in [
            ("recieve", "receive", "relieve"),
            ("comittee", "committee", "coattee"),
            ("definately", "definitely", "defiantly"),
            ("curiocity", "curiosity", "curiomity"),
            ("hamner", "hammer", "hamper"),
            ("wprld", "world", "wurld"),
            ("brown", "browns", "rown"),
        ] {
            let costs = [cost(typed, likely), cost(typed, less_likely)];
            assert!(costs[0] < costs[1], "{typed}: {costs:?}");
        }
        assert_eq!(cost("receive", "receive"), 0.0);
        assert_eq!(cost("xeceive", "receive"), OTHER_LETTER + FIRST_LETTER);
        assert_eq!(cost("ercieve", "receive"), 2.0 * SWAP + FIRST_LETTER);
    }

    #[test]
    fn words_far_from_what_was_typed_have_a_cost_too() {
        for (typed, word) in [("", ""), ("a", "bcdef"), ("abcdefg", "a"), ("", "abc"), ("abc", "")]
        {
            assert!(cost(typed, word).is_finite(), "{typed} {word}");
        }
    }

    #[test]
    fn frequent_words_and_whole_ones_are_likelier() {
        let letters = |word: &str| word.chars().collect::<Vec<char>>();
        let of = |typed: &str, word: &str, documents| {
            of_word(&letters(typed), &letters(word), true, documents)
        };
        assert!(of("acheive", "achieve", 100) > of("acheive", "achieve", 4));
        assert!(of("acheive", "achieve", 10) > of("acheive", "achievement", 10));
        assert!(of("achiev", "achievement", 100) > of("achiev", "achieve", 1));
        assert!(of_split(100) > of_split(1));
    }

    #[test]
    fn keys_have_neighbours() {
        assert!(are_neighbouring_keys('a', 's') && are_neighbouring_keys('a', 'q'));
        assert!(are_neighbouring_keys('g', 'v') && !are_neighbouring_keys('q', 'p'));
        assert!(!are_neighbouring_keys('q', 'z') && !are_neighbouring_keys('é', 'e'));
    }
}
