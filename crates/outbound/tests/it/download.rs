//! Tests downloads.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use model::Cancel;
use outbound::{AddressPolicy, Call, Client, OutboundError};

/// Answers every request with these bytes, then keeps the connection open for a while.
fn serve(answer: impl Into<Vec<u8>>, stalls: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = answer.into();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            // A client may go away at any time.
            let _ = stream.write_all(&answer);
            if stalls {
                thread::sleep(Duration::from_secs(60));
            }
        }
    });
    address
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}Connection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn get(address: SocketAddr) -> Call {
    Call::get(format!("http://{address}/file"), Duration::from_secs(60))
}

fn download(call: Call) -> (Result<u16, OutboundError>, Vec<u8>) {
    let client = Client::new(AddressPolicy::Any).unwrap();
    let mut written = Vec::new();
    (client.download_blocking(call, &mut written, &Cancel::default()), written)
}

#[test]
fn a_file_comes_whole_by_way_of_a_redirect() {
    let body: Vec<u8> = (0..3_000_000).map(|n| (n % 251) as u8).collect();
    let length = format!("Content-Length: {}\r\n", body.len());
    let file = serve(answer("200 OK", &length, &body), false);
    let location = format!("Location: http://{file}/elsewhere\r\nContent-Length: 0\r\n");
    let first = serve(answer("302 Found", &location, b""), false);
    let mut call = get(first);
    call.max_answer_bytes = 10;
    let (status, written) = download(call);
    assert_eq!(status.unwrap(), 200);
    assert!(written == body);
}

#[test]
fn error_answers_are_not_written() {
    let missing = serve(answer("404 Not Found", "Content-Length: 4\r\n", b"none"), false);
    let (status, written) = download(get(missing));
    assert_eq!((status.unwrap(), written.len()), (404, 0));
}

#[test]
fn a_file_that_breaks_off_is_an_error() {
    let short = serve(answer("200 OK", "Content-Length: 100\r\n", b"half"), false);
    let (status, _) = download(get(short));
    assert!(matches!(status, Err(OutboundError::Network(_))), "{status:?}");
}

#[test]
fn a_file_that_stalls_is_given_up() {
    let start = Instant::now();
    let stalled = serve(answer("200 OK", "Content-Length: 100\r\n", b"half"), true);
    let mut call = get(stalled);
    // Enough for the half that comes.
    call.timeout = Duration::from_secs(3);
    let (status, written) = download(call);
    assert!(matches!(status, Err(OutboundError::Timeout(_))), "{status:?}");
    assert_eq!(written, b"half");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn stopping_and_a_full_disk_end_it() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let file = serve(answer("200 OK", "Content-Length: 4\r\n", b"body"), false);
    let client = Client::new(AddressPolicy::Any).unwrap();
    let full = client.download_blocking(get(file), &mut Full, &Cancel::default());
    assert!(matches!(full, Err(OutboundError::NotWritten(_))), "{full:?}");
    let stopped =
        client.download_blocking(get(file), &mut Vec::new(), &Cancel::default().or_when(|| true));
    assert!(matches!(stopped, Err(OutboundError::Stopped)), "{stopped:?}");
}

#[test]
fn addresses_are_checked() {
    let file = serve(answer("200 OK", "Content-Length: 4\r\n", b"body"), false);
    let client = Client::new("10.0.0.0/8".parse().unwrap()).unwrap();
    let refused = client.download_blocking(get(file), &mut Vec::new(), &Cancel::default());
    assert!(matches!(refused, Err(OutboundError::Rejected(_))), "{refused:?}");
}
