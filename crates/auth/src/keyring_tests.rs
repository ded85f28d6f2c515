use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::{Sha256, Sha384, Sha512};
use time::Duration;

use super::*;
use crate::key::tests::key;
use crate::master_key::keyed;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const MASTER: &str = "a master key of the tests";
const NOW: OffsetDateTime = time::macros::datetime!(2026-01-01 00:00 UTC);

fn ring(keys: &[&Key]) -> Keyring {
    Keyring::new(Some(MasterKey::new(MASTER)), keys.iter().map(|key| (*key).clone()))
}

fn value(uid: Uuid) -> String {
    MasterKey::new(MASTER).value_of(uid).to_text()
}

fn part(json: &Value) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}

fn signed<M: Mac + KeyInit>(header: &Value, claims: &Value, secret: &str) -> String {
    let message = format!("{}.{}", part(header), part(claims));
    let signature = keyed::<M>(secret.as_bytes()).chain_update(&message).finalize().into_bytes();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn token(parent: Uuid, claims: &Value) -> String {
    let mut all = json!({"searchRules": ["*"], "apiKeyUid": parent});
    for (name, value) in claims.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    signed::<Hmac<Sha256>>(&json!({"alg": "HS256", "typ": "JWT"}), &all, &value(parent))
}

/// Returns the error text of a search of `books`; none if it is allowed.
fn refused(ring: &Keyring, token: &str) -> Option<String> {
    let error = ring.authorize(Some(token), &[Action::Search], Some("books"), NOW).err()?;
    Some(model::ServiceError::from(error).message)
}

const INVALID: Option<&str> = Some("The provided API key is invalid.");

#[test]
fn without_a_master_key_all_is_open_but_keys() {
    let ring = Keyring::new(None, [key(&["search"], &["*"])]);
    for &action in Action::ALL_ACTIONS {
        let open = ring.authorize(None, &[action], None, NOW);
        if action.is_about_keys() {
            assert_eq!(open.unwrap_err(), AuthError::MissingMasterKey);
        } else {
            assert!(open.is_ok(), "{action}");
        }
    }
}

#[test]
fn the_master_key_may_do_everything() {
    let ring = ring(&[]);
    for &action in Action::ALL_ACTIONS {
        assert!(ring.authorize(Some(MASTER), &[action], Some("books"), NOW).is_ok(), "{action}");
        let refused = ring.authorize(None, &[action], None, NOW).unwrap_err();
        assert_eq!(refused, AuthError::MissingHeader);
        assert_eq!(
            ring.authorize(Some(""), &[action], None, NOW).unwrap_err(),
            AuthError::Invalid,
            "{action}"
        );
    }
}

#[test]
fn an_empty_master_key_is_what_everybody_has() {
    let ring = Keyring::new(Some(MasterKey::new("")), []);
    assert!(ring.authorize(None, &[Action::KeysGet], None, NOW).is_ok());
    assert!(ring.authorize(Some("x"), &[Action::Search], None, NOW).is_err());
}

#[test]
fn keys_are_found_by_their_values_until_they_go() {
    let (one, other) = (key(&["search"], &["books"]), key(&["search"], &["films"]));
    let mut ring = ring(&[&one, &other]);
    assert_eq!(refused(&ring, &value(one.uid)), None);
    assert_eq!(refused(&ring, &value(one.uid).to_uppercase()), None);
    assert_eq!(
        refused(&ring, &value(other.uid)).as_deref(),
        Some(r#"The API key cannot acces the index `books`, authorized indexes are ["films"]."#)
    );
    for wrong in [&value(Uuid::nil()), &one.uid.to_string(), &value(one.uid)[1..], "null"] {
        assert_eq!(refused(&ring, wrong).as_deref(), INVALID, "{wrong}");
    }
    ring.remove(one.uid);
    assert_eq!(refused(&ring, &value(one.uid)).as_deref(), INVALID);
    assert_eq!(ring.len(), 1);
}

#[test]
fn an_expired_key_is_no_key() {
    let expired = |by| Key { expires_at: Some(NOW + by), ..key(&["search"], &["books"]) };
    let (gone, left) = (expired(Duration::ZERO), expired(Duration::seconds(1)));
    let ring = ring(&[&gone, &left]);
    assert_eq!(refused(&ring, &value(gone.uid)).as_deref(), INVALID);
    assert_eq!(refused(&ring, &value(left.uid)), None);
    assert_eq!(refused(&ring, &token(gone.uid, &json!({}))).as_deref(), INVALID);
    assert_eq!(refused(&ring, &token(left.uid, &json!({}))), None);
}

#[test]
fn all_actions_of_a_request_are_needed() {
    let both = [Action::SettingsGet, Action::DocumentsGet];
    let (half, whole) = (key(&["settings.get"], &["*"]), key(&["*.get"], &["*"]));
    let ring = ring(&[&half, &whole]);
    let allowed = |key: &Key| ring.authorize(Some(&value(key.uid)), &both, None, NOW).is_ok();
    assert!(!allowed(&half) && allowed(&whole));
}

#[test]
fn a_token_is_as_good_as_its_key_its_rules_and_its_time() {
    let parent = key(&["search"], &["boo*", "films"]);
    let other = key(&["documents.get"], &["*"]);
    let ring = ring(&[&parent, &other]);
    let now = NOW.unix_timestamp();
    for (claims, words) in [
        (json!({}), None),
        (json!({"exp": null}), None),
        (json!({"exp": now}), None),
        (
            json!({"exp": now - 1}),
            Some(format!(
                "Tenant token expired. Was valid up to `{}` and we're now `{now}`.",
                now - 1
            )),
        ),
        (json!({"aud": "me"}), Some("Could not decode tenant token, InvalidAudience.".to_owned())),
        (json!({"nbf": now + 9, "iat": now + 9, "extra": [1]}), None),
        (
            json!({"searchRules": ["films", "a"]}),
            Some(
                r#"The provided tenant token cannot acces the index `books`, allowed indexes are ["a", "films"]."#
                    .to_owned(),
            ),
        ),
    ] {
        assert_eq!(refused(&ring, &token(parent.uid, &claims)), words, "{claims}");
    }
    assert_eq!(refused(&ring, &token(other.uid, &json!({}))).as_deref(), INVALID);
    assert_eq!(refused(&ring, &token(Uuid::new_v4(), &json!({}))).as_deref(), INVALID);
    let films = token(parent.uid, &json!({}));
    let search = |index| ring.authorize(Some(&films), &[Action::Search], Some(index), NOW);
    assert!(search("films").is_ok());
    assert_eq!(search("cars").unwrap_err(), AuthError::ParentWithoutIndex { index: "cars".into() });
}

#[test]
fn tokens_open_nothing_but_searches_and_chats() {
    let parent = key(&["*"], &["*"]);
    let ring = ring(&[&parent]);
    let token = token(parent.uid, &json!({}));
    for &action in Action::ALL_ACTIONS {
        let open = ring.authorize(Some(&token), &[action], None, NOW);
        assert_eq!(open.is_ok(), action.is_open_to_tenants(), "{action}");
    }
}

#[test]
fn only_the_three_hmac_algorithms_sign() {
    let parent = key(&["search"], &["*"]);
    let ring = ring(&[&parent]);
    let claims = json!({"searchRules": ["*"], "apiKeyUid": parent.uid});
    let secret = value(parent.uid);
    let header =
        |alg: &str| json!({"alg": alg, "kid": "../../../dev/null", "jku": "http://x", "jwk": {}});
    let good = [
        signed::<Hmac<Sha256>>(&header("HS256"), &claims, &secret),
        signed::<Hmac<Sha384>>(&header("HS384"), &claims, &secret),
        signed::<Hmac<Sha512>>(&header("HS512"), &claims, &secret),
    ];
    for token in &good {
        assert_eq!(refused(&ring, token), None, "{token}");
        let mistaken = |words: &str| Some(format!("Could not decode tenant token, {words}."));
        // No part can be changed, cut or left out.
        let (message, signature) = token.rsplit_once('.').unwrap();
        let other = part(&json!({"searchRules": {"*": {}}, "apiKeyUid": parent.uid}));
        let swapped = format!("{}.{other}.{signature}", message.split('.').next().unwrap());
        for tampered in [format!("{message}."), format!("{message}.AAAA"), swapped] {
            assert_eq!(refused(&ring, &tampered), mistaken("InvalidSignature"), "{tampered}");
        }
        assert!(refused(&ring, &format!("{token}x")).is_some());
        assert!(refused(&ring, &token.replacen('.', "..", 1)).is_some());
    }
    for (alg, words) in [
        ("RS256", "InvalidAlgorithm"),
        ("ES256", "InvalidAlgorithm"),
        ("EdDSA", "InvalidAlgorithm"),
        ("none", "JSON error: unknown variant `none`"),
        ("None", "JSON error: unknown variant `None`"),
        ("hs256", "JSON error: unknown variant `hs256`"),
    ] {
        let forged = signed::<Hmac<Sha256>>(&header(alg), &claims, &secret);
        let told = refused(&ring, &forged).unwrap();
        assert!(told.starts_with(&format!("Could not decode tenant token, {words}")), "{told}");
        let unsigned = &forged[..=forged.rfind('.').unwrap()];
        assert!(refused(&ring, unsigned).is_some());
    }
    // A valid algorithm, but not that of the signature.
    let confused = signed::<Hmac<Sha256>>(&header("HS512"), &claims, &secret);
    assert!(refused(&ring, &confused).unwrap().ends_with("InvalidSignature."));
    // The master key signs nothing.
    let by_master = signed::<Hmac<Sha256>>(&header("HS256"), &claims, MASTER);
    assert!(refused(&ring, &by_master).unwrap().ends_with("InvalidSignature."));
}

#[test]
fn malformed_tokens_are_refused_with_messages() {
    let ring = ring(&[]);
    let deep = URL_SAFE_NO_PAD.encode("[".repeat(60_000));
    let long = "a".repeat(100_000);
    for odd in ["..", "a.b.c", ". .", "....", &format!("{deep}.{deep}."), &format!("{long}.b.c")] {
        let told = refused(&ring, odd).unwrap();
        assert!(told.starts_with("Could not decode tenant token, "), "{told}");
    }
    for odd in [".", "a.b", &long, "ключ", "\u{0}"] {
        assert_eq!(refused(&ring, odd).as_deref(), INVALID, "{odd}");
    }
}
