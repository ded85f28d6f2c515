//! Tenant tokens: any text as a token, and any text as the claims of a token whose signature is
//! right, so that what lies behind the signature is reached.

use std::sync::LazyLock;

use auth::{Action, Keyring, MasterKey, default_keys};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use time::OffsetDateTime;

const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

/// The keys, the uid of one that may search, and its value.
static KEYS: LazyLock<(Keyring, String, String)> = LazyLock::new(|| {
    let keys = default_keys(NOW);
    let uid = keys[3].uid;
    let ring = Keyring::new(Some(MasterKey::new("a-key-for-the-fuzzer")), keys);
    let value = ring.value_of(uid).expect("a value").to_text();
    (ring, uid.to_string(), value)
});

/// Fails where the target would.
pub fn run(text: &[u8]) {
    let text = crate::text(text);
    let (ring, uid, value) = &*KEYS;
    let try_token = |token: &str| {
        let asked = ring.authorize(Some(token), &[Action::Search], Some("books"), NOW);
        if let Err(refusal) = asked {
            drop(format!("{refusal:?}"));
        }
    };
    try_token(text);
    // `$` stands for the uid of the parent key, which nobody guesses.
    let claims = text.replace('$', uid);
    let signed =
        format!("{}.{}", BASE64.encode(r#"{"alg":"HS256"}"#), BASE64.encode(claims.as_bytes()));
    let mut mac = Hmac::<Sha256>::new_from_slice(value.as_bytes()).expect("a key of any length");
    mac.update(signed.as_bytes());
    let signature = BASE64.encode(mac.finalize().into_bytes());
    try_token(&format!("{signed}.{signature}"));
}
