//! The text of a correction: the typed text with some words replaced, keeping their capitals.

use super::choices::Choice;
use super::slots::Slot;

pub(super) fn corrected(text: &str, slots: &[Slot], chosen: &[(usize, &Choice)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for (place, choice) in chosen {
        let Some(words) = &choice.words else { continue };
        let (first, last) = (&slots[*place], &slots[place + choice.span - 1]);
        out.push_str(&text[done..first.bytes.start]);
        out.push_str(&like(&text[first.bytes.clone()], &words.join(" ")));
        done = last.bytes.end;
    }
    out.push_str(&text[done..]);
    out
}

/// Applies the capitals of one word to another.
fn like(typed: &str, word: &str) -> String {
    let mut letters = typed.chars().filter(|letter| letter.is_alphabetic());
    let is_capital = letters.clone().next().is_some_and(char::is_uppercase);
    let has_many = letters.clone().nth(1).is_some();
    if has_many && letters.all(char::is_uppercase) {
        return word.to_uppercase();
    }
    let mut rest = word.chars();
    match rest.next() {
        Some(first) if is_capital => first.to_uppercase().chain(rest).collect(),
        _ => word.to_owned(),
    }
}
