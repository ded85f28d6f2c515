//! Tenant tokens: JSON web tokens signed with the value of an API key.
//!
//! Only what the service uses is read of them. The header names the algorithm and nothing else
//! counts there: no key is looked up by `kid`, none is fetched from `jku` or taken from `jwk`. Only
//! the three HMAC algorithms are accepted, so that a token cannot choose to be unsigned.

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
use crate::{Refusal, SearchRules};

/// Every algorithm that the standard names and libraries know; those that are not HMAC are known
/// only to be refused by name.
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
    /// Who else the token is meant for; there is nobody else.
    aud: Option<IgnoredAny>,
}

/// A token that was read and not believed yet.
#[derive(Debug)]
pub(crate) struct TenantToken<'t> {
    /// What the signature is about.
    signed: &'t str,
    signature: &'t str,
    algorithm: Algorithm,
    claims: Claims,
}

/// What a token says once it is believed.
#[derive(Debug)]
pub(crate) struct Grant {
    pub rules: SearchRules,
    /// The key that it was signed with.
    pub parent: Uuid,
}

impl<'t> TenantToken<'t> {
    /// None for what does not have the three parts of a token.
    pub fn read(token: &'t str) -> Option<Result<Self, Refusal>> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.rsplit_once('.')?;
        Some(Self::read_parts(signed, signature, header, claims))
    }

    fn read_parts(
        signed: &'t str,
        signature: &'t str,
        header: &str,
        claims: &str,
    ) -> Result<Self, Refusal> {
        let Header { alg: algorithm } = decoded(header)?;
        Ok(Self { signed, signature, algorithm, claims: decoded(claims)? })
    }

    /// The key that it claims to be signed with.
    pub fn parent(&self) -> Uuid {
        self.claims.api_key_uid
    }

    /// Checks it against the value of that key.
    pub fn verified(self, key: &KeyValue, now: OffsetDateTime) -> Result<Grant, Refusal> {
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
            Some(end) if now > end => Err(Refusal::TokenExpired { end, now }),
            _ => Ok(Grant { rules, parent }),
        }
    }

    /// Takes the same time wherever the signatures differ.
    fn is_signed<M: Mac + KeyInit>(&self, secret: &str) -> Result<bool, Refusal> {
        let signature = bytes(self.signature)?;
        let mac = keyed::<M>(secret.as_bytes()).chain_update(self.signed);
        Ok(mac.verify_slice(&signature).is_ok())
    }
}

fn decoded<T: DeserializeOwned>(part: &str) -> Result<T, Refusal> {
    serde_json::from_slice(&bytes(part)?)
        .map_err(|error| unreadable(format!("JSON error: {error}")))
}

fn bytes(part: &str) -> Result<Vec<u8>, Refusal> {
    URL_SAFE_NO_PAD.decode(part).map_err(|error| unreadable(format!("Base64 error: {error}")))
}

fn unreadable(cause: impl Into<String>) -> Refusal {
    Refusal::TokenUnreadable(cause.into())
}
