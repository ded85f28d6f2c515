//! Times in the contract's formats: RFC 3339 in UTC, ISO 8601 durations.

use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime, UtcOffset};

pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// Formats a time as `2026-11-15T10:00:00.123456789Z`.
pub fn rfc3339(time: OffsetDateTime) -> String {
    // Formatting fails only outside the years 0 to 9999.
    time.to_offset(UtcOffset::UTC).format(&Rfc3339).unwrap_or_else(|_| time.to_string())
}

/// Formats `PT0.012345S` or `P1DT2S`: whole seconds, or 3, 6 or 9 digits of a second.
pub fn iso8601_duration(duration: Duration) -> String {
    let duration = duration.max(Duration::ZERO);
    let days = duration.whole_days();
    let rest = duration - Duration::days(days);
    let (seconds, nanos) = (rest.whole_seconds(), rest.subsec_nanoseconds());
    let date = if days > 0 { format!("P{days}DT") } else { "PT".to_owned() };
    match nanos {
        0 => format!("{date}{seconds}S"),
        n if n % 1_000_000 == 0 => format!("{date}{seconds}.{:03}S", n / 1_000_000),
        n if n % 1_000 == 0 => format!("{date}{seconds}.{:06}S", n / 1_000),
        n => format!("{date}{seconds}.{n:09}S"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_0_3_6_or_9_digits() {
        assert_eq!(iso8601_duration(Duration::seconds(2)), "PT2S");
        assert_eq!(iso8601_duration(Duration::milliseconds(1_020)), "PT1.020S");
        assert_eq!(iso8601_duration(Duration::microseconds(7)), "PT0.000007S");
        assert_eq!(iso8601_duration(Duration::nanoseconds(7)), "PT0.000000007S");
        assert_eq!(iso8601_duration(Duration::seconds(86_402)), "P1DT2S");
    }
}
