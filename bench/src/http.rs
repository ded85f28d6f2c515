//! A small HTTP/1.1 client: one keep-alive connection, one request at a time.
//!
//! Hand-written because the measurements need to own the connection, and because a general
//! client's pools, time-outs and retries would be measured with the server.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

pub const JSON: &str = "application/json";
pub const NDJSON: &str = "application/x-ndjson";

/// No answer within this time is a failure of the run.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);
/// A task that has not finished within this time is a failure of the run.
const TASK_TIMEOUT: Duration = Duration::from_secs(3600);

pub struct Client {
    address: SocketAddr,
    /// Absent before the first request and after the server has closed the connection.
    connection: Option<BufReader<TcpStream>>,
}

pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    keep_alive: bool,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        Client { address, connection: None }
    }

    pub fn request(
        &mut self,
        method: &str,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let stream = TcpStream::connect(self.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
                BufReader::new(stream)
            }
        };
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.address).into_bytes();
        if let Some((content_type, bytes)) = body {
            write!(request, "Content-Type: {content_type}\r\nContent-Length: {}\r\n", bytes.len())?;
        }
        request.extend_from_slice(b"\r\n");
        let bytes = body.map_or(&[][..], |(_, bytes)| bytes);
        // A small request leaves in one packet; a large body is not copied.
        let written = if bytes.len() < 64 * 1024 {
            request.extend_from_slice(bytes);
            connection.get_mut().write_all(&request)
        } else {
            connection
                .get_mut()
                .write_all(&request)
                .and_then(|()| connection.get_mut().write_all(bytes))
        };
        // A server that refuses a body answers before it has read it all: read on.
        if let Err(error) = written
            && !matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
        {
            return Err(error.into());
        }
        let answer = read_answer(&mut connection)?;
        if answer.keep_alive {
            self.connection = Some(connection);
        }
        Ok(answer)
    }

    /// A request that must succeed, with its JSON answer.
    fn json(&mut self, method: &str, path: &str, body: Option<(&str, &[u8])>) -> Result<Value> {
        let answer =
            self.request(method, path, body).with_context(|| format!("{method} {path}"))?;
        let text = String::from_utf8_lossy(&answer.body);
        ensure!(
            (200..300).contains(&answer.status),
            "{method} {path}: status {}, {text}",
            answer.status
        );
        serde_json::from_str(&text).with_context(|| format!("{method} {path}: {text}"))
    }

    pub fn get(&mut self, path: &str) -> Result<Value> {
        self.json("GET", path, None)
    }

    /// A write: the uid of the task that it made.
    pub fn post_task(&mut self, path: &str, content_type: &str, body: &[u8]) -> Result<u64> {
        let answer = self.json("POST", path, Some((content_type, body)))?;
        answer["taskUid"].as_u64().with_context(|| format!("POST {path}: no taskUid in {answer}"))
    }

    /// A change of settings: the uid of the task that it made.
    pub fn patch_settings(&mut self, index: &str, settings: &Value) -> Result<u64> {
        let path = format!("/indexes/{index}/settings");
        let answer = self.json("PATCH", &path, Some((JSON, settings.to_string().as_bytes())))?;
        answer["taskUid"].as_u64().with_context(|| format!("PATCH {path}: no taskUid in {answer}"))
    }

    /// A search that must be answered, and the time until its whole answer was there.
    pub fn search(&mut self, index: &str, query: &Value) -> Result<(Value, Duration)> {
        self.timed_post(&format!("/indexes/{index}/search"), query)
    }

    /// The same for a search among the values of a facet.
    pub fn facet_search(&mut self, index: &str, query: &Value) -> Result<(Value, Duration)> {
        self.timed_post(&format!("/indexes/{index}/facet-search"), query)
    }

    fn timed_post(&mut self, path: &str, query: &Value) -> Result<(Value, Duration)> {
        let body = query.to_string();
        let begin = Instant::now();
        let answer = self.request("POST", path, Some((JSON, body.as_bytes())))?;
        let time = begin.elapsed();
        let text = String::from_utf8_lossy(&answer.body);
        ensure!(answer.status == 200, "POST {path} {body}: status {}, {text}", answer.status);
        Ok((serde_json::from_str(&text)?, time))
    }

    /// Asks every `pause` until a task has succeeded.
    pub fn wait_for_task(&mut self, uid: u64, pause: Duration) -> Result<()> {
        let begin = Instant::now();
        while begin.elapsed() < TASK_TIMEOUT {
            let task = self.get(&format!("/tasks/{uid}"))?;
            match task["status"].as_str() {
                Some("succeeded") => return Ok(()),
                Some("enqueued" | "processing") => thread::sleep(pause),
                _ => bail!("task {uid} did not succeed: {task}"),
            }
        }
        bail!("task {uid} has not finished after {TASK_TIMEOUT:?}")
    }

    /// Fails if any task so far has failed or was canceled.
    pub fn no_task_failed(&mut self) -> Result<()> {
        let tasks = self.get("/tasks?statuses=failed,canceled&limit=1")?;
        ensure!(tasks["total"] == 0, "tasks have failed: {}", tasks["results"][0]);
        Ok(())
    }

    /// Whether a search for `word` answers with at least one document. A server without search
    /// answers otherwise, which is no error here.
    pub fn finds(&mut self, index: &str, word: &str) -> Result<bool> {
        let query = serde_json::json!({ "q": word, "limit": 1 }).to_string();
        let path = format!("/indexes/{index}/search");
        let answer = self.request("POST", &path, Some((JSON, query.as_bytes())))?;
        if answer.status != 200 {
            return Ok(false);
        }
        let answer: Value = serde_json::from_slice(&answer.body)?;
        Ok(answer["hits"].as_array().is_some_and(|hits| !hits.is_empty()))
    }

    pub fn number_of_documents(&mut self, index: &str) -> Result<u64> {
        let stats = self.get(&format!("/indexes/{index}/stats"))?;
        stats["numberOfDocuments"].as_u64().context("no numberOfDocuments")
    }
}

fn read_answer(connection: &mut impl BufRead) -> Result<Answer> {
    let status_line = read_line(connection)?;
    let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.with_context(|| format!("not an HTTP answer: {status_line:?}"))?;
    let mut length = 0;
    let mut chunked = false;
    let mut keep_alive = true;
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').context("header without a colon")?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse()?,
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "connection" => keep_alive = !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let body = if chunked { read_chunks(connection)? } else { read_exactly(connection, length)? };
    Ok(Answer { status, body, keep_alive })
}

fn read_chunks(connection: &mut impl BufRead) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(connection)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16)?;
        if size == 0 {
            while !read_line(connection)?.is_empty() {}
            return Ok(body);
        }
        body.append(&mut read_exactly(connection, size)?);
        read_line(connection)?;
    }
}

fn read_exactly(connection: &mut impl BufRead, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    connection.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_line(connection: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    ensure!(connection.read_line(&mut line)? > 0, "the server has closed the connection");
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers each request on one connection with the next of `answers`.
    fn mock(answers: &'static [&'static str]) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut stream = BufReader::new(stream);
            for answer in answers {
                while !read_line(&mut stream).unwrap().is_empty() {}
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        });
        Client::new(address)
    }

    #[test]
    fn reads_lengths_and_chunks_on_one_connection() {
        let mut client = mock(&[
            "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{\"a\":1}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4;x\r\n\":2}\r\n0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
        ]);
        assert_eq!(client.get("/").unwrap()["a"], 1);
        assert_eq!(client.get("/").unwrap()["a"], 2);
        assert!(client.get("/").unwrap_err().to_string().contains("status 404"));
    }

    #[test]
    fn waits_until_a_task_has_finished() {
        let mut client = mock(&[
            "HTTP/1.1 200 OK\r\ncontent-length: 23\r\n\r\n{\"status\":\"processing\"}",
            "HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\n{\"status\":\"succeeded\"}",
            "HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n{\"status\":\"failed\"}",
        ]);
        client.wait_for_task(1, Duration::ZERO).unwrap();
        assert!(client.wait_for_task(2, Duration::ZERO).is_err());
    }
}
