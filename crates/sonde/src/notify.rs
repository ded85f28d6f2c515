//! Tells a service manager (systemd, `Type=notify`) when the server is ready and when it ends.
//! Without one this does nothing.

#[cfg(target_os = "linux")]
pub fn send(state: &str) {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let address = match path.as_bytes() {
        // An abstract address.
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(&path),
    };
    let sent = address.and_then(|address| {
        UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(|_| ())
    });
    if let Err(error) = sent {
        tracing::warn!("the service manager could not be notified of `{state}`: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
pub fn send(_state: &str) {}

pub const READY: &str = "READY=1";
pub const STOPPING: &str = "STOPPING=1";
