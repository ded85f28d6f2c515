//! Tenant tokens: any text as a token, and any text as the claims of a token whose signature is
//! right, so that what lies behind the signature is reached.

#![no_main]

use std::sync::LazyLock;

use auth::{Action, Keyring, MasterKey, default_keys};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use libfuzzer_sys::fuzz_target;
use ring::hmac;
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

fuzz_target!(|text: &str| {
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
    let key = hmac::Key::new(hmac::HMAC_SHA256, value.as_bytes());
    let signature = BASE64.encode(hmac::sign(&key, signed.as_bytes()));
    try_token(&format!("{signed}.{signature}"));
});
