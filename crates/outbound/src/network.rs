//! A network in CIDR notation.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::error::NetworkError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let (width, own) = bits(self.address);
        let (other_width, other) = bits(address);
        width == other_width && (own ^ other) & mask(width, self.prefix) == 0
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let syntax = || NetworkError::Syntax(text.to_owned());
        let (address, prefix) = text.split_once('/').ok_or_else(syntax)?;
        let address: IpAddr = address.parse().map_err(|_| syntax())?;
        let prefix: u32 = prefix.parse().map_err(|_| syntax())?;
        let (width, value) = bits(address);
        if prefix > width {
            return Err(syntax());
        }
        let network = value & mask(width, prefix);
        if network != value {
            let address = match address {
                IpAddr::V4(_) => IpAddr::V4((network as u32).into()),
                IpAddr::V6(_) => IpAddr::V6(network.into()),
            };
            let meant = Self { address, prefix }.to_string();
            return Err(NetworkError::HostBits { network: text.to_owned(), meant });
        }
        Ok(Self { address, prefix })
    }
}

fn bits(address: IpAddr) -> (u32, u128) {
    match address {
        IpAddr::V4(address) => (32, u128::from(address.to_bits())),
        IpAddr::V6(address) => (128, address.to_bits()),
    }
}

/// Returns the mask of the first `prefix` of `width` bits.
fn mask(width: u32, prefix: u32) -> u128 {
    let host = width - prefix;
    let all = u128::MAX >> (128 - width);
    all & u128::MAX.checked_shl(host).unwrap_or(0)
}
