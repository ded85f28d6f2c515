//! The sockets of the server. A name such as `localhost` can stand for several addresses; the
//! server listens on all of them, so that clients reach it whichever they try.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::net::{TcpListener, TcpSocket};

use crate::options::address::Address;

const BACKLOG: u32 = 1024;

#[derive(Debug)]
pub struct Listeners {
    pub sockets: Vec<TcpListener>,
    pub port: u16,
}

/// Binds the address without accepting connections yet.
pub async fn reserve(address: &Address) -> anyhow::Result<Vec<TcpSocket>> {
    let resolved = tokio::net::lookup_host((address.host.as_str(), address.port))
        .await
        .with_context(|| format!("`{}` cannot be resolved", address.host))?;
    let mut hosts = Vec::new();
    for resolved in resolved {
        if !hosts.contains(&resolved.ip()) {
            hosts.push(resolved.ip());
        }
    }

    let mut sockets: Vec<TcpSocket> = Vec::new();
    let mut port = address.port;
    let mut last_failure = None;
    for host in hosts {
        let target = SocketAddr::new(host, port);
        match bind(target) {
            Ok(socket) => {
                // With port 0 the system chooses a free port, which all addresses share.
                port = socket.local_addr()?.port();
                sockets.push(socket);
            }
            Err(error) if error.kind() == ErrorKind::AddrInUse => bail!(in_use(target)),
            // A machine without IPv6 still has the other address of `localhost`.
            Err(error) => last_failure = Some((target, error)),
        }
    }
    match (sockets.is_empty(), last_failure) {
        (false, _) => Ok(sockets),
        (true, Some((target, error))) => {
            Err(error).with_context(|| format!("cannot listen on {target}"))
        }
        (true, None) => bail!("`{}` does not resolve to an address", address.host),
    }
}

/// Starts listening on the reserved sockets.
pub fn listen(sockets: Vec<TcpSocket>) -> anyhow::Result<Listeners> {
    let mut port = 0;
    let mut listeners = Vec::new();
    for socket in sockets {
        let target = socket.local_addr()?;
        port = target.port();
        let listener = socket.listen(BACKLOG).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => anyhow::anyhow!(in_use(target)),
            _ => anyhow::anyhow!(error).context(format!("cannot listen on {target}")),
        })?;
        listeners.push(listener);
    }
    Ok(Listeners { sockets: listeners, port })
}

fn bind(target: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if target.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    // A restart must not wait for old connections to time out. On Windows this option would let two
    // servers share a port.
    if cfg!(unix) {
        socket.set_reuseaddr(true)?;
    }
    socket.bind(target)?;
    Ok(socket)
}

fn in_use(target: SocketAddr) -> String {
    format!(
        "the address {target} is already in use; stop the other program or choose another --http-addr"
    )
}
