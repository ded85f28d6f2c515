//! Errors of calls, and of the list of allowed networks.

use std::net::IpAddr;
use std::time::Duration;

#[derive(Debug, Clone, thiserror::Error)]
pub enum OutboundError {
    #[error("invalid URI: {0}")]
    BadUrl(String),
    #[error("rejected URI: only `http` and `https` are supported, got `{0}`")]
    Scheme(String),
    #[error("rejected IP `{0}`: it is not globally reachable and not in an allowed network")]
    Rejected(IpAddr),
    /// The address is omitted: the user who chose the name need not learn how it resolves here.
    #[error(
        "rejected host `{0}`: it does not lead to a globally reachable address. The operator can allow its network with `--experimental-allowed-ip-networks`"
    )]
    RejectedName(String),
    #[error("invalid header `{0}`")]
    BadHeader(String),
    #[error("no answer within {:?}", rounded(*.0))]
    Timeout(Duration),
    #[error("{0}")]
    Network(String),
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    #[error("rejected URI: redirected to another server")]
    Redirected,
    #[error("the answer cannot be written: {0}")]
    NotWritten(String),
    #[error("the call was stopped")]
    Stopped,
    #[error("cannot start an HTTP client: {0}")]
    Setup(String),
}

impl OutboundError {
    /// Returns whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Network(_))
    }
}

/// Rounds a time for messages; the rest of a deadline is seldom round.
fn rounded(time: Duration) -> Duration {
    let unit_ms: u128 = if time < Duration::from_secs(1) { 1 } else { 100 };
    let units = (time.as_micros() + unit_ms * 500) / (unit_ms * 1000);
    Duration::from_millis(u64::try_from(units * unit_ms).unwrap_or(u64::MAX))
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    #[error("`{0}` is not a network in CIDR notation, such as `10.0.0.0/8` or `::1/128`")]
    Syntax(String),
    #[error("`{network}` has host bits set; did you mean `{meant}`?")]
    HostBits { network: String, meant: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_messages_are_rounded() {
        for (nanoseconds, expected) in [
            (9_999_967_345, "10s"),
            (30_000_000_000, "30s"),
            (1_449_999_999, "1.4s"),
            (999_700_000, "1s"),
            (20_000_000, "20ms"),
            (19_600_001, "20ms"),
        ] {
            let error = OutboundError::Timeout(Duration::from_nanos(nanoseconds));
            assert_eq!(error.to_string(), format!("no answer within {expected}"));
        }
    }
}
