//! Decides which requests of browsers an instance without a master key answers. Such an instance
//! trusts everyone who reaches it, and every web page reaches it through the browser of a visitor:
//! from another origin, or under a host name that the page makes resolve to this machine (DNS
//! rebinding). Programs are not restricted, and with a master key nothing is: a page would have to
//! know a key.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use engine::Engine;
use engine::keys::Action;
use model::{Code, ServiceError};

const SITE: &str = "sec-fetch-site";
const MODE: &str = "sec-fetch-mode";

/// The option that the error names.
const OPTION: &str = "--http-allowed-hosts";

/// Host names besides localhost and IP addresses that browsers may use: names of this server, and
/// of servers whose pages may call it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedHosts {
    names: Vec<String>,
    is_open: bool,
}

impl AllowedHosts {
    /// Reads the names; `*` allows everything. A name may be written as an origin, whose scheme and
    /// port are ignored.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let names: Vec<String> = names.into_iter().map(|name| host_in(&name)).collect();
        Self { is_open: names.iter().any(|name| name == "*"), names }
    }

    fn names(&self, host: &str) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

fn host_in(name: &str) -> String {
    let authority = name.split_once("://").map_or(name, |(_, rest)| rest);
    let authority = authority.split('/').next().unwrap_or_default();
    Host::read(authority).map_or_else(|| name.to_ascii_lowercase(), |host| host.name)
}

/// The parts of a request that the check needs. `host` is the host it was sent to.
#[derive(Debug, Clone, Copy)]
pub struct BrowserRequest<'r> {
    pub method: &'r Method,
    pub path: &'r str,
    pub host: Option<&'r str>,
    pub headers: &'r HeaderMap,
}

/// Refuses requests that a page of another site may have sent.
pub fn check(
    engine: &Engine,
    allowed: &AllowedHosts,
    sent: BrowserRequest<'_>,
) -> Result<(), ServiceError> {
    if allowed.is_open || !is_browser(sent.headers) {
        return Ok(());
    }
    let needs_key = engine.keys().authorize(None, &[Action::Search], None).is_err();
    if !needs_key && let Some(message) = objection(allowed, sent) {
        return Err(ServiceError::new(Code::BrowserNotAllowed, message));
    }
    Ok(())
}

/// True if a browser sent the request. A page that reads from its own server over plain HTTP, under
/// a name other than localhost, sends neither `Origin` nor `Sec-Fetch-Site`, so headers that all
/// browsers send count too.
fn is_browser(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).map(HeaderValue::as_bytes);
    headers.contains_key(header::ORIGIN)
        || headers.contains_key(SITE)
        || (headers.contains_key(header::ACCEPT_LANGUAGE)
            && agent.is_some_and(|agent| agent.starts_with(b"Mozilla/")))
}

/// Returns the reason to refuse the request, if there is one.
fn objection(allowed: &AllowedHosts, sent: BrowserRequest<'_>) -> Option<String> {
    let host = sent.host.and_then(Host::read);
    if !host.as_ref().is_some_and(|host| host.is_trusted(allowed)) {
        let name = host.as_ref().map_or("an unknown name", |host| host.name.as_str());
        return Some(format!(
            "Without a master key, browsers may not use this server under the name `{name}`. Start \
             it with a master key, or name the host in `{OPTION}`."
        ));
    }
    let mut origins = sent.headers.get_all(header::ORIGIN).iter().peekable();
    let has_origin = origins.peek().is_some();
    for origin in origins {
        let text = origin.to_str().unwrap_or_default();
        if !is_welcome(allowed, text, host.as_ref()) {
            return Some(format!(
                "Without a master key, pages of the origin `{text}` may not use this server. Start \
                 it with a master key, or name the host of the origin in `{OPTION}`."
            ));
        }
    }
    if has_origin || !is_cross_site(sent.headers) || opens_a_page(sent) {
        return None;
    }
    Some(format!(
        "Without a master key, pages of other sites may not use this server. Start it with a master \
         key, or with `{OPTION}`."
    ))
}

/// The host in a `Host` header or an origin, without its port.
struct Host {
    name: String,
    address: Option<IpAddr>,
}

impl Host {
    fn read(authority: &str) -> Option<Self> {
        let uri: Uri = format!("http://{authority}/").parse().ok()?;
        Self::of(&uri)
    }

    fn of(uri: &Uri) -> Option<Self> {
        let name = uri.host()?.trim_end_matches('.').to_ascii_lowercase();
        let address = name.trim_start_matches('[').trim_end_matches(']').parse().ok();
        Some(Self { name, address })
    }

    fn is_localhost(&self) -> bool {
        self.name == "localhost" || self.name.ends_with(".localhost")
    }

    /// Returns whether the name is safe from DNS rebinding.
    fn is_trusted(&self, allowed: &AllowedHosts) -> bool {
        self.address.is_some() || self.is_localhost() || allowed.names(&self.name)
    }
}

/// True if pages of an origin may send requests: those of this machine, of the address that the
/// request was sent to, and of the allowed names.
fn is_welcome(allowed: &AllowedHosts, origin: &str, asked: Option<&Host>) -> bool {
    let Ok(uri) = origin.parse::<Uri>() else { return false };
    let Some(host) = Host::of(&uri) else { return false };
    let is_of_this_machine = match host.address {
        Some(address) => {
            let address = address.to_canonical();
            let asked = asked.and_then(|asked| asked.address);
            address.is_loopback() || asked.is_some_and(|asked| asked.to_canonical() == address)
        }
        None => host.is_localhost(),
    };
    is_of_this_machine || allowed.names(&host.name)
}

fn is_cross_site(headers: &HeaderMap) -> bool {
    headers
        .get_all(SITE)
        .iter()
        .any(|site| !matches!(site.as_bytes(), b"same-origin" | b"same-site" | b"none"))
}

/// True if the request follows a link to a page: it changes nothing, and the linking site cannot
/// read the answer.
fn opens_a_page(sent: BrowserRequest<'_>) -> bool {
    let is_navigation = sent.headers.get(MODE).is_some_and(|mode| mode.as_bytes() == b"navigate");
    let is_page = sent.path == "/" || sent.path == "/docs" || sent.path.starts_with("/docs/");
    is_navigation && is_page && sent.method == Method::GET
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn is_refused(allowed: &str, line: &str, pairs: &[(&'static str, &str)]) -> bool {
        let (method, path) = line.split_once(' ').unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let value = HeaderValue::from_str(value).unwrap();
            headers.append(HeaderName::from_static(name), value);
        }
        let allowed = AllowedHosts::new(allowed.split_terminator(',').map(str::to_owned));
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let method = method.parse().unwrap();
        let sent = BrowserRequest { method: &method, path, host, headers: &headers };
        !allowed.is_open && is_browser(&headers) && objection(&allowed, sent).is_some()
    }

    #[test]
    fn a_name_may_be_written_as_an_origin() {
        for name in ["shop.example", "SHOP.example:8080", "https://shop.example:8080/"] {
            let pairs = [("host", "shop.example:7700"), ("origin", "https://shop.example:8080")];
            assert!(!is_refused(name, "POST /indexes", &pairs), "{name}");
            let pairs = [("host", "other.example"), ("origin", "https://shop.example:8080")];
            assert!(is_refused(name, "POST /indexes", &pairs), "{name}");
        }
        assert!(!is_refused("null", "GET /", &[("host", "localhost"), ("origin", "null")]));
    }

    #[test]
    fn pages_of_this_machine_and_named_hosts_may_ask() {
        for (host, origin, refused) in [
            ("localhost:7700", "http://localhost:3000", false),
            ("localhost:7700", "https://LOCALHOST", false),
            ("app.localhost", "http://shop.localhost:3000", false),
            ("127.0.0.1:7700", "http://127.0.0.1:3000", false),
            ("[::1]:7700", "http://[::1]:7700", false),
            ("127.0.0.1:7700", "http://127.8.9.10", false),
            // The dashboard of another machine of the network, under its address.
            ("10.0.0.1:7700", "http://10.0.0.1:7700", false),
            ("10.0.0.1:7700", "http://10.0.0.1:8080", false),
            ("10.0.0.1:7700", "http://10.0.0.2:7700", true),
            ("localhost:7700", "http://10.0.0.1", true),
            ("localhost:7700", "http://evil.example", true),
            ("localhost:7700", "http://localhost.evil.example", true),
            ("localhost:7700", "null", true),
            ("localhost:7700", "file://", true),
            ("localhost:7700", "", true),
            // Rebinding: the name of the page leads to this machine.
            ("evil.example:7700", "http://evil.example:7700", true),
            ("evil.example:7700", "http://localhost:7700", true),
            ("", "http://localhost:7700", true),
        ] {
            let pairs = [("host", host), ("origin", origin)];
            assert_eq!(is_refused("", "POST /indexes", &pairs), refused, "{host} {origin}");
            assert!(!is_refused("*", "POST /indexes", &pairs));
        }
        let pairs = [("host", "Search.lan"), ("origin", "https://shop.example")];
        assert!(is_refused("", "GET /health", &pairs));
        assert!(is_refused("search.lan", "GET /health", &pairs));
        assert!(!is_refused("search.lan,shop.example", "GET /health", &pairs));
    }

    #[test]
    fn one_strange_origin_among_several_is_enough() {
        let pairs = [
            ("host", "localhost"),
            ("origin", "http://localhost"),
            ("origin", "http://evil.example"),
        ];
        assert!(is_refused("", "GET /health", &pairs));
    }

    #[test]
    fn links_of_other_sites_open_pages_and_reach_nothing_else() {
        let asked = |line: &str, site: &str, mode: &str| {
            let pairs = [("host", "localhost"), (SITE, site), (MODE, mode)];
            is_refused("", line, &pairs)
        };
        for (line, site, mode, refused) in [
            ("GET /", "cross-site", "navigate", false),
            ("GET /docs/search", "cross-site", "navigate", false),
            ("GET /indexes", "cross-site", "navigate", true),
            ("GET /docsearch", "cross-site", "navigate", true),
            ("POST /", "cross-site", "navigate", true),
            ("GET /", "cross-site", "no-cors", true),
            ("POST /dumps", "cross-site", "no-cors", true),
            ("GET /indexes", "anything-new", "cors", true),
            ("GET /indexes", "same-origin", "cors", false),
            ("GET /indexes", "same-site", "cors", false),
            ("GET /indexes", "none", "navigate", false),
        ] {
            assert_eq!(asked(line, site, mode), refused, "{line} {site} {mode}");
        }
    }

    #[test]
    fn programs_use_any_name() {
        assert!(!is_refused("", "POST /indexes", &[("host", "sonde:7700")]));
        assert!(!is_refused("", "POST /indexes", &[("host", "sonde"), ("user-agent", "curl/8")]));
        let tool = [("host", "sonde"), ("user-agent", "Mozilla/5.0 (Windows NT) PowerShell/5.1")];
        assert!(!is_refused("", "POST /indexes", &tool));
        // A page that reads from its own server under plain HTTP.
        let page =
            [("host", "evil.example"), ("user-agent", "Mozilla/5.0"), ("accept-language", "en")];
        assert!(is_refused("", "GET /indexes", &page));
        let page =
            [("host", "localhost"), ("user-agent", "Mozilla/5.0"), ("accept-language", "en")];
        assert!(!is_refused("", "GET /indexes", &page));
    }
}
