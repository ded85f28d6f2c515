//! Why a call did not get an answer, or why the list of allowed networks cannot be read.

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
    #[error("invalid header `{0}`")]
    BadHeader(String),
    #[error("no answer within {:?}", .0)]
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
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Network(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    #[error("`{0}` is not a network in CIDR notation, such as `10.0.0.0/8` or `::1/128`")]
    Syntax(String),
    #[error("`{network}` has host bits set; did you mean `{meant}`?")]
    HostBits { network: String, meant: String },
}
