//! Parses times in boosts and documents: RFC 3339 dates, and durations like `30d`.

use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

/// Longer than any RFC 3339 date, with nine digits of a second.
const LONGEST_DATE: usize = 40;
/// A number at least this large is a time in milliseconds: in seconds it would be in the year 5138,
/// in milliseconds it is in 1973.
const LEAST_MILLISECONDS: f64 = 1e11;

/// Parses a date with or without a time, in seconds since 1970. Values of documents are in lower
/// case.
pub fn seconds_of_date(text: &str) -> Option<f64> {
    if text.len() > LONGEST_DATE {
        return None;
    }
    let text = text.trim().to_ascii_uppercase();
    let time = OffsetDateTime::parse(&text, &Rfc3339).ok().or_else(|| {
        let day = Date::parse(&text, format_description!("[year]-[month]-[day]")).ok()?;
        Some(day.midnight().assume_utc())
    })?;
    Some(time.unix_timestamp_nanos() as f64 / 1e9)
}

/// Interprets a number of a document as a time, in seconds since 1970.
pub fn seconds_of_number(number: f64) -> f64 {
    if number.abs() >= LEAST_MILLISECONDS { number / 1000.0 } else { number }
}

/// Parses a duration like `30d`, in seconds.
pub fn seconds_of_duration(text: &str) -> Option<f64> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        'w' => 604_800.0,
        _ => return None,
    };
    let count = text.strip_suffix(unit)?;
    let is_plain = count.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let count: f64 = count.parse().ok().filter(|_| is_plain)?;
    Some(count * seconds).filter(|seconds| seconds.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_any_case_and_zone() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0.0)),
            ("1970-01-02", Some(86_400.0)),
            ("2024-02-29t12:00:00z", Some(1_709_208_000.0)),
            ("2024-02-29T13:00:00.5+01:00", Some(1_709_208_000.5)),
            ("1969-12-31T23:59:59Z", Some(-1.0)),
            ("2023-02-29", None),
            ("2024-02-29 12:00", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(seconds_of_date(text), expected, "{text}");
        }
        assert_eq!(seconds_of_date(&format!("{}2024-01-01", " ".repeat(100_000))), None);
    }

    #[test]
    fn large_numbers_are_milliseconds() {
        assert_eq!(seconds_of_number(1_709_208_000.0), 1_709_208_000.0);
        assert_eq!(seconds_of_number(1_709_208_000_000.0), 1_709_208_000.0);
    }

    #[test]
    fn durations_have_a_unit() {
        for (text, expected) in [
            ("30d", Some(2_592_000.0)),
            ("12h", Some(43_200.0)),
            ("1.5m", Some(90.0)),
            ("2w", Some(1_209_600.0)),
            ("0s", Some(0.0)),
            ("30", None),
            ("d", None),
            ("-1d", None),
            ("1e3d", None),
            ("infd", None),
            ("1y", None),
            ("3é", None),
            ("", None),
        ] {
            assert_eq!(seconds_of_duration(text), expected, "{text}");
        }
    }
}
