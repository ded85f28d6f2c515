//! Sizes in bytes: how they are shown to people and read from options.

/// Formats a size as `1.5 MiB`: binary units, at most two decimals, no trailing zeros.
pub fn human_binary(bytes: u64) -> String {
    human(bytes, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

/// Formats a size as `100 MB`: decimal units, at most two decimals, no trailing zeros.
pub fn human_decimal(bytes: u64) -> String {
    human(bytes, 1000.0, &["B", "KB", "MB", "GB", "TB", "PB", "EB"])
}

/// Formats a limit for error messages: binary when it is a multiple of 1024.
pub fn human_limit(bytes: u64) -> String {
    if bytes.is_multiple_of(1024) { human_binary(bytes) } else { human_decimal(bytes) }
}

fn human(bytes: u64, step: f64, units: &[&str]) -> String {
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= step && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {}", units[unit])
}

/// Reads `100 MB`, `24MiB`, `1024`. Units are case-sensitive: `MB` is 10⁶ bytes, `MiB` 2²⁰,
/// and `Mb` megabits.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| {
        format!(
            "`{text}` is not a size: expected a number with a unit, such as `100 MB` or `2 GiB`"
        )
    })?;
    let factor = unit_factor(unit.trim()).ok_or_else(|| {
        format!(
            "`{}` is not a unit of size: expected B, kB, KB, MB, GB, TB, KiB, MiB, GiB or TiB",
            unit.trim()
        )
    })?;
    let bytes = number * factor;
    if bytes > u64::MAX as f64 {
        return Err(format!("`{text}` is more than any machine holds"));
    }
    Ok(bytes as u64)
}

fn unit_factor(unit: &str) -> Option<f64> {
    if unit.is_empty() {
        return Some(1.0);
    }
    let (prefix, bits) = match unit.strip_suffix('B') {
        Some(prefix) => (prefix, 1.0),
        None => (unit.strip_suffix('b')?, 8.0),
    };
    let power = |base: f64, n: i32| Some(base.powi(n) / bits);
    match prefix {
        "" => power(1.0, 1),
        "k" | "K" => power(1000.0, 1),
        "M" => power(1000.0, 2),
        "G" => power(1000.0, 3),
        "T" => power(1000.0, 4),
        "Ki" => power(1024.0, 1),
        "Mi" => power(1024.0, 2),
        "Gi" => power(1024.0, 3),
        "Ti" => power(1024.0, 4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_with_two_decimals_at_most() {
        assert_eq!(human_binary(0), "0 B");
        assert_eq!(human_binary(1536 * 1024), "1.5 MiB");
        assert_eq!(human_limit(100_000_000), "100 MB");
        assert_eq!(human_limit(2048), "2 KiB");
    }

    #[test]
    fn units_are_case_sensitive() {
        assert_eq!(parse("100 MB"), Ok(100_000_000));
        assert_eq!(parse("100 Mb"), Ok(12_500_000));
        assert_eq!(parse("24MiB"), Ok(24 << 20));
        assert_eq!(parse("2048"), Ok(2048));
        assert!(parse("lots").is_err());
        assert!(parse("1 mB").is_err());
    }
}
