//! A client for one request over one connection. It sends exactly what it is given, odd paths
//! and headers included, and leaves nothing open: what tests of a server need and libraries
//! are too polite for.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names as they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON; text that is none as a string, an empty body as null.
    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&self.body).into_owned()))
    }
}

pub fn get(server: SocketAddr, path: &str) -> io::Result<Answer> {
    send(server, "GET", path, &[], None)
}

pub fn send_json(server: SocketAddr, method: &str, path: &str, body: &Value) -> io::Result<Answer> {
    let headers = [("Content-Type".to_owned(), "application/json".to_owned())];
    send(server, method, path, &headers, Some(body.to_string().as_bytes()))
}

pub fn send(
    server: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body: Option<&[u8]>,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    let mut request = head(server, method, path, headers, body.map(<[u8]>::len));
    request.extend_from_slice(body.unwrap_or_default());
    // A server may answer and close before it has read a body it refuses; its answer counts.
    let written = stream.write_all(&request);
    read_answer(&mut BufReader::new(stream)).map_err(|unread| written.err().unwrap_or(unread))
}

pub fn head(
    server: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(String, String)],
    body_length: Option<usize>,
) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let expects_body = matches!(method, "POST" | "PUT" | "PATCH");
    if let Some(length) = body_length.or(expects_body.then_some(0)) {
        head += &format!("Content-Length: {length}\r\n");
    }
    (head + "\r\n").into_bytes()
}

pub fn read_answer(stream: &mut impl BufRead) -> io::Result<Answer> {
    let status_line = read_line(stream)?;
    let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| broken(&format!("status line `{status_line}`")))?;
    let mut headers = Vec::new();
    let mut length = None;
    let mut chunked = false;
    loop {
        let line = read_line(stream)?;
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok(),
            "transfer-encoding" => chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let body = match length {
        _ if chunked => read_chunks(stream)?,
        Some(length) => read_exactly(stream, length)?,
        None => {
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest)?;
            rest
        }
    };
    Ok(Answer { status, headers, body })
}

fn read_chunks(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(stream)?;
        let length = usize::from_str_radix(line.trim(), 16).map_err(|_| broken("chunk length"))?;
        body.extend(read_exactly(stream, length)?);
        read_line(stream)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn read_exactly(stream: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn broken(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
