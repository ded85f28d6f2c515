//! Which addresses may be called.

use std::net::IpAddr;

use outbound::{AddressPolicy, NetworkError, OutboundError};

fn allows(policy: &AddressPolicy, address: &str) -> bool {
    policy.check(address.parse::<IpAddr>().unwrap()).is_ok()
}

#[test]
fn only_global_addresses_by_default() {
    let policy = AddressPolicy::default();
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.8.8.8",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:127.0.0.1",
        "::ffff:0:10.0.0.1",
        "::ffff:0:169.254.169.254",
        "64:ff9b::127.0.0.1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert!(!allows(&policy, address), "{address} is not for everyone");
    }
    for address in [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.0.9",
        "192.0.1.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "2001:20::1",
        "64:ff9b::8.8.8.8",
        "::ffff:8.8.8.8",
        "::ffff:0:8.8.8.8",
        "3fff:1000::1",
    ] {
        assert!(allows(&policy, address), "{address} is for everyone");
    }
}

#[test]
fn a_refusal_names_the_address() {
    let error = AddressPolicy::default().check("10.1.2.3".parse().unwrap()).unwrap_err();
    assert!(matches!(error, OutboundError::Rejected(_)));
    assert!(error.to_string().starts_with("rejected IP `10.1.2.3`"));
}

#[test]
fn networks_are_exempted() {
    let policy: AddressPolicy = "127.0.0.0/8, ::1/128,10.2.0.0/16".parse().unwrap();
    for address in [
        "127.0.0.1",
        "127.255.0.1",
        "::1",
        "10.2.3.4",
        "::ffff:10.2.3.4",
        "::ffff:0:10.2.3.4",
        "8.8.8.8",
    ] {
        assert!(allows(&policy, address), "{address}");
    }
    for address in ["10.3.0.1", "192.168.0.1", "::2", "fe80::1"] {
        assert!(!allows(&policy, address), "{address}");
    }
    let all: AddressPolicy = "0.0.0.0/0".parse().unwrap();
    assert!(allows(&all, "10.0.0.1") && !allows(&all, "::1"));
}

#[test]
fn any_turns_the_guard_off() {
    for text in ["any", "10.0.0.0/8,any"] {
        assert_eq!(text.parse(), Ok(AddressPolicy::Any));
    }
    assert!(allows(&AddressPolicy::Any, "127.0.0.1"));
    assert_eq!("".parse(), Ok(AddressPolicy::default()));
}

#[test]
fn networks_must_be_written_well() {
    for text in ["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0/8", "x/8", "10.0.0.0/-1", "any/8"] {
        let error = text.parse::<AddressPolicy>().unwrap_err();
        assert_eq!(error, NetworkError::Syntax(text.to_owned()));
    }
    for (text, meant) in [("10.1.0.0/8", "10.0.0.0/8"), ("fd00::1/64", "fd00::/64")] {
        let error = text.parse::<AddressPolicy>().unwrap_err();
        let expected = NetworkError::HostBits { network: text.into(), meant: meant.into() };
        assert_eq!(error, expected);
    }
}
