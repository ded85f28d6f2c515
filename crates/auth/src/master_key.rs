//! The master key: it may do everything, and all other keys are derived from it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::key_value::KeyValue;

/// Minimum length of a master key in production.
pub const MIN_MASTER_KEY_BYTES: usize = 16;

#[derive(Clone)]
pub struct MasterKey {
    text: String,
    digest: [u8; 32],
}

impl MasterKey {
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let digest = Sha256::digest(&text).into();
        Self { text, digest }
    }

    /// Returns an unguessable key, to be suggested to an operator.
    pub fn suggestion() -> Result<String, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Returns its number of bytes, which is no secret.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns whether it is empty, which protects nothing: a request without a key matches it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether a token is this key. Digests are compared, so that timing reveals neither
    /// how much was right nor the length.
    pub fn is(&self, token: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(token).into();
        self.digest.ct_eq(&digest).into()
    }

    /// Returns the value of the key with this uid.
    pub fn value_of(&self, uid: Uuid) -> KeyValue {
        let mut spelling = Uuid::encode_buffer();
        let uid = uid.hyphenated().encode_lower(&mut spelling);
        let code = keyed::<Hmac<Sha256>>(self.text.as_bytes()).chain_update(uid).finalize();
        KeyValue::new(code.into_bytes().into())
    }
}

pub(crate) fn keyed<M: Mac + KeyInit>(secret: &[u8]) -> M {
    <M as Mac>::new_from_slice(secret).expect("HMAC takes secrets of any length")
}

/// Hides the key.
impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_the_recipe() {
        let master_key = MasterKey::new("MASTER_KEY");
        for (uid, value) in [
            (
                "00000000-0000-0000-0000-000000000000",
                "aeb94973e0b6e912d94165430bbe87dee91a7c4f891ce19050c3910ec96977e9",
            ),
            (
                "4BC0887A-0E41-4F3B-935D-0C451DCEE9C8",
                "d9e776b8412f1db6974c9a5556b961c3559440b6588216f4ea5d9ed49f7c8f3c",
            ),
        ] {
            assert_eq!(master_key.value_of(uid.parse().unwrap()).to_text(), value);
        }
    }

    #[test]
    fn only_the_whole_key_is_the_key() {
        let key = MasterKey::new("a-secret-of-some-length");
        assert!(key.is("a-secret-of-some-length"));
        for other in ["", "a", "a-secret-of-some-lengt", "a-secret-of-some-length ", "A-SECRET"] {
            assert!(!key.is(other), "{other}");
        }
        assert!(MasterKey::new("").is(""));
        assert_eq!(format!("{key:?}"), "MasterKey(…)");
    }

    #[test]
    fn suggestions_are_43_characters_and_differ() {
        let (one, other) = (MasterKey::suggestion().unwrap(), MasterKey::suggestion().unwrap());
        assert_eq!((one.len(), other.len()), (43, 43));
        assert_ne!(one, other);
    }
}
