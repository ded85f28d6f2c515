//! The address to listen on, as written: a host name or IP address and a port. Names are resolved
//! when the server binds.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
}

impl FromStr for Address {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (host, port) = text.rsplit_once(':').ok_or(())?;
        let port = port.parse().map_err(|_| ())?;
        let host = match host.strip_prefix('[') {
            Some(rest) => {
                let host = rest.strip_suffix(']').ok_or(())?;
                host.parse::<Ipv6Addr>().map_err(|_| ())?;
                host
            }
            None => host,
        };
        let is_bracketless_ipv6 = host.contains(':') && !text.starts_with('[');
        if host.is_empty() || is_bracketless_ipv6 || host.contains(['/', ' ']) {
            return Err(());
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ipv6_addresses_keep_their_spelling() {
        for good in ["localhost:7700", "127.0.0.1:0", "[::1]:80", "a.example:65535"] {
            assert_eq!(good.parse::<Address>().unwrap().to_string(), good);
        }
        for bad in
            ["localhost", ":7700", "::1:80", "[::1]", "[a]:80", "h:65536", "h:", "http://h:1"]
        {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
