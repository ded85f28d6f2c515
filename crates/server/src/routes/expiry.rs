//! The expiry date of a key, in the formats in which it may be written.

use deserr::{DeserializeError, Deserr, IntoValue, Value, ValuePointerRef};
use model::timestamp;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, PrimitiveDateTime, UtcOffset};

use crate::http::field_error::string;
use crate::http::query::unacceptable;

/// Formats without an offset, read as UTC.
const LOCAL_FORMS: [&[BorrowedFormatItem<'_>]; 2] = [
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"),
    format_description!("[year]-[month]-[day] [hour]:[minute]:[second]"),
];
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// The expiry of a key; `None` if it never expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expiry(pub Option<OffsetDateTime>);

impl<E: DeserializeError> Deserr<E> for Expiry {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        if let Value::Null = value {
            return Ok(Self(None));
        }
        let text = string(value, at)?;
        match moment(&text).filter(|moment| *moment > timestamp::now()) {
            Some(moment) => Ok(Self(Some(moment))),
            None => Err(unacceptable::<V, E>(invalid(&text), at)),
        }
    }
}

fn moment(text: &str) -> Option<OffsetDateTime> {
    // A sign would be parsed as part of the year.
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if let Ok(day) = Date::parse(text, DAY) {
        return Some(day.midnight().assume_utc());
    }
    for form in LOCAL_FORMS {
        if let Ok(time) = PrimitiveDateTime::parse(text, form) {
            return Some(time.assume_utc());
        }
    }
    // A space in place of `T`, and lower-case letters, are accepted.
    let text = text.to_ascii_uppercase().replacen(' ', "T", 1);
    // Offsets can push the last hours of year 9999 out of the range of UTC.
    OffsetDateTime::parse(&text, &Rfc3339).ok()?.checked_to_offset(UtcOffset::UTC)
}

fn invalid(text: &str) -> String {
    format!(
        "`{text}` is not a valid date. It should follow the RFC 3339 format to represents a date \
         or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD \
         HH:MM:SS'.\n"
    )
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn moments_have_these_spellings() {
        let end = datetime!(2099-12-31 23:59:59 UTC);
        for text in [
            "2099-12-31T23:59:59Z",
            "2099-12-31t23:59:59z",
            "2099-12-31 23:59:59Z",
            "2099-12-31x23:59:59Z",
            "2100-01-01T01:59:59+02:00",
            "2099-12-31T23:59:59",
            "2099-12-31 23:59:59",
        ] {
            assert_eq!(moment(text), Some(end), "{text}");
        }
        assert_eq!(moment("2099-12-31"), Some(datetime!(2099-12-31 00:00 UTC)));
        assert_eq!(moment("2099-12-31T23:59:59.5Z"), Some(datetime!(2099-12-31 23:59:59.5 UTC)));
    }

    #[test]
    fn other_spellings_are_no_moments() {
        for text in [
            "",
            "2099",
            "2099-12",
            "2099-1-1",
            " 2099-12-31",
            "+2099-12-31",
            "-2099-12-31",
            "2099-13-01",
            "2099-02-30",
            "31/12/2099",
            "tomorrow",
            "2099-12-31T25:00:00Z",
            "2099-12-31T23:59",
            "4102444800",
            "9999-12-31T23:59:59-23:00",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
