//! Tenant tokens, signed as a client of the service signs them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::{Sha256, Sha384, Sha512};

pub fn signed(claims: &Value, secret: &str, algorithm: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = json!({"alg": algorithm, "typ": "JWT"});
    let content = format!("{}.{}", part(&head), part(claims));
    let signature = match algorithm {
        "HS384" => authentication::<Hmac<Sha384>>(&content, secret),
        "HS512" => authentication::<Hmac<Sha512>>(&content, secret),
        _ => authentication::<Hmac<Sha256>>(&content, secret),
    };
    format!("{content}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn authentication<M: Mac + hmac::digest::KeyInit>(content: &str, secret: &str) -> Vec<u8> {
    let mut mac = <M as Mac>::new_from_slice(secret.as_bytes()).expect("secrets of any length");
    mac.update(content.as_bytes());
    mac.finalize().into_bytes().to_vec()
}
