//! The networks an operator allows outgoing connections to reach although they are private.
//! Nothing connects outwards yet: the list is checked so that a wrong one fails today.

use std::net::IpAddr;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedNetworks {
    Any,
    Listed(Vec<IpNetwork>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpNetwork {
    pub address: IpAddr,
    pub prefix_bits: u8,
}

impl FromStr for AllowedNetworks {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "any" {
            return Ok(AllowedNetworks::Any);
        }
        text.split(',')
            .map(|network| network.trim().parse())
            .collect::<Result<_, _>>()
            .map(Self::Listed)
    }
}

impl FromStr for IpNetwork {
    type Err = ();

    /// `10.0.0.0/8`, or an address alone. Bits behind the prefix must be zero: they are nearly
    /// always a slip, and a wider network than meant is a hole.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| ())?;
        let (bits, width) = match address {
            IpAddr::V4(v4) => (u128::from(v4.to_bits()), 32),
            IpAddr::V6(v6) => (v6.to_bits(), 128),
        };
        let prefix_bits = match prefix {
            Some(text) => text.parse::<u8>().ok().filter(|&bits| bits <= width).ok_or(())?,
            None => width,
        };
        let host_bits = u32::from(width - prefix_bits);
        let host_mask = 1u128.checked_shl(host_bits).map_or(u128::MAX, |bit| bit - 1);
        if bits & host_mask != 0 {
            return Err(());
        }
        Ok(Self { address, prefix_bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_behind_the_prefix_must_be_zero() {
        for good in ["any", "10.0.0.0/8", "127.0.0.1", "0.0.0.0/0,::/0", "fd00::/8, 10.1.0.0/16"] {
            assert!(good.parse::<AllowedNetworks>().is_ok(), "{good}");
        }
        for bad in
            ["", "10.0.0.1/8", "10.0.0.0/33", "fd00::1/8", "anything", "10.0.0.0/8,", "1.2.3"]
        {
            assert!(bad.parse::<AllowedNetworks>().is_err(), "{bad}");
        }
    }
}
