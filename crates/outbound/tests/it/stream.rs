//! Tests streamed answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use outbound::{AddressPolicy, Call, Client, OutboundError};

/// A server for one call, which sends on command.
struct Peer {
    address: SocketAddr,
    stream: Receiver<TcpStream>,
}

impl Peer {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, stream): (Sender<TcpStream>, _) = channel();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            sender.send(stream).unwrap();
        });
        Self { address, stream }
    }

    fn call(&self) -> Call {
        Call::get(format!("http://{}/events", self.address), Duration::from_secs(60))
    }

    /// Answers with the head of a body in chunks.
    fn head(&self, status: &str) -> TcpStream {
        let mut stream = self.stream.recv().unwrap();
        write!(stream, "HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
        stream
    }
}

fn chunk(stream: &mut TcpStream, text: &str) {
    write!(stream, "{:x}\r\n{text}\r\n", text.len()).unwrap();
}

fn client() -> Client {
    Client::new(AddressPolicy::Any).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pieces_arrive_as_sent_until_the_end() {
    let peer = Peer::new();
    let call = peer.call();
    let (next, wanted) = channel::<&str>();
    let sending = thread::spawn(move || {
        let mut stream = peer.head("200 OK");
        for text in wanted {
            chunk(&mut stream, text);
        }
        stream.write_all(b"0\r\n\r\n").unwrap();
    });
    let mut answer = client().stream(&call).await.unwrap();
    assert_eq!(answer.status(), 200);
    // Each piece is asked for only when the one before it has come.
    for text in ["one", "two"] {
        next.send(text).unwrap();
        assert_eq!(answer.next().await.unwrap().unwrap(), text);
    }
    drop(next);
    assert!(answer.next().await.unwrap().is_none());
    sending.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_and_too_much_end_it() {
    let silent = Peer::new();
    let mut call = silent.call();
    // Enough for the head, which does come.
    call.timeout = Duration::from_secs(3);
    let held = thread::spawn(move || silent.head("200 OK"));
    let mut answer = client().stream(&call).await.unwrap();
    let error = answer.next().await.unwrap_err();
    assert!(matches!(error, OutboundError::Timeout(_)), "{error}");
    drop(held.join().unwrap());

    let mute = Peer::new();
    let mut call = mute.call();
    call.timeout = Duration::from_millis(500);
    let error = client().stream(&call).await.unwrap_err();
    assert!(matches!(error, OutboundError::Timeout(_)), "{error}");

    let talkative = Peer::new();
    let mut call = talkative.call();
    call.max_answer_bytes = 5;
    let sent = thread::spawn(move || {
        let mut stream = talkative.head("200 OK");
        chunk(&mut stream, "four");
        chunk(&mut stream, "more");
        stream
    });
    let mut answer = client().stream(&call).await.unwrap();
    let mut read = Vec::new();
    let error = loop {
        match answer.next().await {
            Ok(piece) => read.extend(piece.expect("the answer does not end")),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, OutboundError::TooLarge { limit: 5 }), "{error}");
    assert!(read.len() <= 5);
    drop(sent.join().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_beginning_of_an_answer_is_cut() {
    let peer = Peer::new();
    let call = peer.call();
    let sent = thread::spawn(move || {
        let mut stream = peer.head("401 Unauthorized");
        chunk(&mut stream, "who are you?");
        stream
    });
    let answer = client().stream(&call).await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(answer.beginning(3).await.unwrap(), "who");
    drop(sent.join().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_dropped_ends_the_call() {
    let peer = Peer::new();
    let call = peer.call();
    let sent = thread::spawn(move || {
        let mut stream = peer.head("200 OK");
        chunk(&mut stream, "one");
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.read(&mut [0; 8])
    });
    let mut answer = client().stream(&call).await.unwrap();
    answer.next().await.unwrap();
    drop(answer);
    assert_eq!(sent.join().unwrap().unwrap(), 0, "the connection was closed");
}

#[tokio::test]
async fn addresses_are_checked() {
    let client = Client::new(AddressPolicy::default()).unwrap();
    let call = Call::get("http://127.0.0.1:9/events", Duration::from_millis(500));
    let error = client.stream(&call).await.unwrap_err();
    assert!(matches!(error, OutboundError::Rejected(_)), "{error}");
}
