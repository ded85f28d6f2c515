//! Pages of other origins. A page whose name was made to lead to this machine could use an open
//! instance through the browser of a visitor. Where a key is needed the page would have to know
//! it, so there every origin is welcome, as on all routes.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header};
use engine::Engine;
use engine::keys::Action;

pub const REFUSED: &str = "Without a master key, pages of this origin may not use this server.";

pub fn is_welcome(engine: &Engine, headers: &HeaderMap) -> bool {
    let needs_key = engine.authorize(None, &[Action::Search], None).is_err();
    needs_key
        || headers
            .get_all(header::ORIGIN)
            .iter()
            .all(|origin| origin.to_str().is_ok_and(is_of_this_machine))
}

fn is_of_this_machine(origin: &str) -> bool {
    let Ok(uri) = origin.parse::<Uri>() else { return false };
    let Some(host) = uri.host() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_cannot_be_rebound_are_of_this_machine() {
        for (origin, expected) in [
            ("http://localhost:7700", true),
            ("https://LOCALHOST", true),
            ("http://127.0.0.1:3000", true),
            ("http://127.8.9.10", true),
            ("http://[::1]:7700", true),
            ("http://localhost.evil.example", false),
            ("http://evil.example:7700", false),
            ("http://10.0.0.1", false),
            ("null", false),
            ("file://", false),
            ("", false),
        ] {
            assert_eq!(is_of_this_machine(origin), expected, "{origin}");
        }
    }
}
