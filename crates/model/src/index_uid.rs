//! The name of an index, validated once at the boundary.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::limits::INDEX_UID_MAX_BYTES;
use crate::{Code, ServiceError};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexUid(String);

impl IndexUid {
    pub fn new(uid: impl Into<String>) -> Result<Self, ServiceError> {
        let uid = uid.into();
        let well_formed = (1..=INDEX_UID_MAX_BYTES).contains(&uid.len())
            && uid.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if well_formed { Ok(Self(uid)) } else { Err(invalid(&uid)) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

// The text says 512 bytes because clients match on it; the limit itself is 400.
fn invalid(uid: &str) -> ServiceError {
    ServiceError::new(
        Code::InvalidIndexUid,
        format!(
            "`{uid}` is not a valid index uid. Index uid can be an integer or a string containing \
             only alphanumeric characters, hyphens (-) and underscores (_), and can not be more \
             than 512 bytes."
        ),
    )
}

impl Deref for IndexUid {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for IndexUid {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IndexUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_letters_digits_hyphens_underscores_up_to_400_bytes() {
        for good in ["a", "0", "a-b_C9", &"x".repeat(400)] {
            assert!(IndexUid::new(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "é", "a.b", "a*", &"x".repeat(401)] {
            assert_eq!(IndexUid::new(bad).unwrap_err().code, Code::InvalidIndexUid, "{bad}");
        }
    }
}
