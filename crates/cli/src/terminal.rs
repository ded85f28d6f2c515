//! Terminal properties and number formatting.

use std::io::{IsTerminal, stdout};
use std::time::Duration;

/// Width if stdout is not a terminal.
const USUAL_WIDTH: usize = 100;

/// Returns the width of the terminal that stdout goes to.
pub(crate) fn width() -> usize {
    if let Some((terminal_size::Width(columns), _)) = terminal_size::terminal_size_of(stdout())
        && columns > 0
    {
        return usize::from(columns);
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    named.filter(|columns| *columns >= 20).unwrap_or(USUAL_WIDTH)
}

/// Returns whether stdout supports bold text. See <https://no-color.org>.
pub(crate) fn has_styles() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stdout().is_terminal()
        && !is_set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// Formats a number as `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count as `1 document` or `2 documents`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}

/// Formats a duration as `840 ms`, `3.2 s` or `4 min 05 s`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns the number per second.
pub(crate) fn rate(number: u64, time: Duration) -> u64 {
    (number as f64 / time.as_secs_f64().max(0.001)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        let written: Vec<String> = [0, 999, 1000, 1_234_567].map(thousands).to_vec();
        assert_eq!(written, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "hit"), "1 hit");
        assert_eq!(duration(Duration::from_millis(1250)), "1.2 s");
        assert_eq!(duration(Duration::from_secs(245)), "4 min 05 s");
        assert_eq!(rate(300, Duration::from_secs(2)), 150);
    }
}
