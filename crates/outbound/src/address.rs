//! Address policy: calls may go to globally reachable addresses, in the sense of the IANA
//! special-purpose registries, and to networks that the operator allows.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use crate::error::{NetworkError, OutboundError};
use crate::network::Network;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressPolicy {
    /// No check.
    Any,
    /// Globally reachable addresses, and those of these networks.
    Global(AllowedNetworks),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedNetworks(Vec<Network>);

impl Default for AddressPolicy {
    fn default() -> Self {
        Self::Global(AllowedNetworks::default())
    }
}

/// Parses `--experimental-allowed-ip-networks`: comma-separated networks, or `any`.
impl FromStr for AddressPolicy {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let items = || text.split(',').map(str::trim).filter(|item| !item.is_empty());
        if items().any(|item| item == "any") {
            return Ok(Self::Any);
        }
        Ok(Self::Global(AllowedNetworks(items().map(str::parse).collect::<Result<_, _>>()?)))
    }
}

impl AddressPolicy {
    pub fn check(&self, address: IpAddr) -> Result<(), OutboundError> {
        let Self::Global(allowed) = self else { return Ok(()) };
        let plain = plain(address);
        let exempt =
            allowed.0.iter().any(|network| network.contains(plain) || network.contains(address));
        if exempt || is_global(plain) { Ok(()) } else { Err(OutboundError::Rejected(address)) }
    }
}

/// Returns the IPv4 address of a mapped (`::ffff:a.b.c.d`) or translated (`::ffff:0:a.b.c.d`, RFC
/// 2765) IPv6 address, or the address itself.
fn plain(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => match address.segments() {
            [0, 0, 0, 0, 0xffff, 0, high, low] => IpAddr::V4(embedded(high, low)),
            _ => IpAddr::V6(address),
        },
        address => address,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => is_global_v6(address),
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // Anycast addresses inside of a block of protocol assignments.
        [192, 0, 0, 9 | 10] => true,
        [0 | 10 | 127, ..] => false,
        [100, second, ..] if second & 0xc0 == 64 => false,
        [169, 254, ..] | [192, 168, ..] => false,
        [172, second, ..] if second & 0xf0 == 16 => false,
        [192, 0, 0 | 2, _] | [192, 88, 99, _] => false,
        [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => false,
        // Multicast, reserved and broadcast.
        [first, ..] => first < 224,
    }
}

fn is_global_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Translated to an IPv4 address on the way.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_global_v4(embedded(high, low)),
        // Unspecified, loopback, IPv4-compatible.
        [0, 0, 0, 0, 0, 0, ..] => false,
        [0x64, 0xff9b, 1, ..] | [0x100, 0, 0, 0 | 1, ..] => false,
        // Protocol assignments, of which a few are global.
        [0x2001, 1, 0, 0, 0, 0, 0, 1..=3] | [0x2001, 3, ..] | [0x2001, 4, 0x112, ..] => true,
        [0x2001, 0x20..=0x3f, ..] => true,
        [0x2001, second, ..] if second < 0x200 => false,
        [0x2001, 0xdb8, ..] | [0x2002, ..] | [0x5f00, ..] => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // Unique-local; link-local and site-local; multicast.
        [first, ..] => {
            first & 0xfe00 != 0xfc00 && first & 0xff80 != 0xfe80 && first & 0xff00 != 0xff00
        }
    }
}
