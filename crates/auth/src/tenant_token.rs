//! Tenant tokens: JSON web tokens signed with the value of an API key.
//!
//! Only the claims in use are read. Of the header only the algorithm counts: no key is looked up by
//! `kid`, fetched from `jku` or taken from `jwk`. Only the three HMAC algorithms are accepted, so
//! that a token cannot choose to be unsigned.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use sha2::{Sha256, Sha384, Sha512};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::key_value::KeyValue;
use crate::master_key::keyed;
use crate::{AuthError, SearchRules};

/// The standard algorithms; those that are not HMAC are known only to be refused by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Algorithm {
    Hs256,
    Hs384,
    Hs512,
    Es256,
    Es384,
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    #[serde(rename = "EdDSA")]
    EdDsa,
}

#[derive(Debug, Deserialize)]
struct Header {
    alg: Algorithm,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Claims {
    search_rules: SearchRules,
    exp: Option<i64>,
    api_key_uid: Uuid,
    /// Audience; a token that has one is refused.
    aud: Option<IgnoredAny>,
}

/// A token that was parsed but not verified.
#[derive(Debug)]
pub(crate) struct TenantToken<'t> {
    /// The signed text.
    signed: &'t str,
    signature: &'t str,
    algorithm: Algorithm,
    claims: Claims,
}

/// The claims of a verified token.
#[derive(Debug)]
pub(crate) struct Grant {
    pub rules: SearchRules,
    /// The key that signed it.
    pub parent: Uuid,
}

impl<'t> TenantToken<'t> {
    /// Parses a token; none if it does not have three parts.
    pub fn read(token: &'t str) -> Option<Result<Self, AuthError>> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.rsplit_once('.')?;
        Some(Self::read_parts(signed, signature, header, claims))
    }

    fn read_parts(
        signed: &'t str,
        signature: &'t str,
        header: &str,
        claims: &str,
    ) -> Result<Self, AuthError> {
        let Header { alg: algorithm } = decoded(header)?;
        Ok(Self { signed, signature, algorithm, claims: decoded(claims)? })
    }

    /// Returns the key that it claims to be signed with.
    pub fn parent(&self) -> Uuid {
        self.claims.api_key_uid
    }

    /// Verifies it with the value of that key.
    pub fn verified(self, key: &KeyValue, now: OffsetDateTime) -> Result<Grant, AuthError> {
        let secret = key.to_text();
        let is_signed = match self.algorithm {
            Algorithm::Hs256 => self.is_signed::<Hmac<Sha256>>(&secret)?,
            Algorithm::Hs384 => self.is_signed::<Hmac<Sha384>>(&secret)?,
            Algorithm::Hs512 => self.is_signed::<Hmac<Sha512>>(&secret)?,
            _ => return Err(unreadable("InvalidAlgorithm")),
        };
        if !is_signed {
            return Err(unreadable("InvalidSignature"));
        }
        let Claims { search_rules: rules, exp, api_key_uid: parent, aud } = self.claims;
        if aud.is_some() {
            return Err(unreadable("InvalidAudience"));
        }
        let now = now.unix_timestamp();
        match exp {
            Some(end) if now > end => Err(AuthError::TokenExpired { end, now }),
            _ => Ok(Grant { rules, parent }),
        }
    }

    /// Compares signatures in constant time.
    fn is_signed<M: Mac + KeyInit>(&self, secret: &str) -> Result<bool, AuthError> {
        let signature = bytes(self.signature)?;
        let mac = keyed::<M>(secret.as_bytes()).chain_update(self.signed);
        Ok(mac.verify_slice(&signature).is_ok())
    }
}

fn decoded<T: DeserializeOwned>(part: &str) -> Result<T, AuthError> {
    serde_json::from_slice(&bytes(part)?)
        .map_err(|error| unreadable(format!("JSON error: {error}")))
}

fn bytes(part: &str) -> Result<Vec<u8>, AuthError> {
    URL_SAFE_NO_PAD.decode(part).map_err(|error| unreadable(format!("Base64 error: {error}")))
}

fn unreadable(cause: impl Into<String>) -> AuthError {
    AuthError::TokenUnreadable(cause.into())
}
