//! A provider of models on a loopback port, for pages that ask one: completions in the way of
//! OpenAI, embeddings in the form of docs/vectors.md, and scores in that of docs/reranking.md. It knows nothing. Asked for a completion
//! it searches first, and then says what it was told of the first hit.

use std::io::{BufRead, BufReader, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use serde_json::{Value, json};

/// Starts one; its thread ends with the process.
pub fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A caller that goes away in between is none of its business.
            let _ = answer(stream);
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> Result<()> {
    let (path, body) = read(&mut BufReader::new(stream.try_clone()?))?;
    let (kind, text) = if path.ends_with("/chat/completions") {
        ("text/event-stream", completion(&body))
    } else if path.ends_with("/rerank") {
        ("application/json", rerank(&body).to_string())
    } else {
        ("application/json", embeddings(&body).to_string())
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{text}",
        text.len()
    )
}

fn read(reader: &mut impl BufRead) -> Result<(String, Value)> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((path, serde_json::from_slice(&body).unwrap_or_default()))
}

fn completion(body: &Value) -> String {
    let last = body["messages"].as_array().and_then(|all| all.last()).unwrap_or(&Value::Null);
    let content = last["content"].as_str().unwrap_or_default();
    let (delta, reason) = if last["role"] == "tool" {
        (json!({"content": format!("We have {}.", first_hit(content))}), "stop")
    } else {
        let function = &body["tools"][0]["function"];
        let index = &function["parameters"]["properties"]["index_uid"]["enum"][0];
        let word = content.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
        let arguments = json!({"index_uid": index, "q": word, "filter": null}).to_string();
        let call = json!({"index": 0, "id": "call-1", "type": "function",
            "function": {"name": function["name"], "arguments": arguments}});
        (json!({ "tool_calls": [call] }), "tool_calls")
    };
    format!(
        "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
        chunk(delta, json!(null)),
        chunk(json!({}), json!(reason))
    )
}

/// Returns the text of the first hit of a search.
fn first_hit(content: &str) -> &str {
    content.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim()
}

fn chunk(delta: Value, finish_reason: Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_768_471_200, "model": "gpt-4o",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    })
}

/// Of documents in the form of docs/reranking.md: how many words of the query each has.
fn rerank(body: &Value) -> Value {
    let query = body["query"].as_str().unwrap_or_default().to_lowercase();
    let documents = body["documents"].as_array().into_iter().flatten().enumerate();
    let results = documents.map(|(index, document)| {
        let text = document.as_str().unwrap_or_default().to_lowercase();
        let found = query.split_whitespace().filter(|word| text.contains(word)).count();
        json!({"index": index, "relevance_score": found as f64 / 10.0})
    });
    json!({ "results": results.collect::<Vec<_>>() })
}

/// A vector for each input: of three dimensions for texts, of 1024 for anything else.
fn embeddings(body: &Value) -> Value {
    let inputs = body["inputs"].as_array().into_iter().flatten();
    let vectors = inputs.map(|input| {
        let dimensions = if input.is_string() { 3 } else { 1024 };
        let mut vector = vec![1.0; dimensions];
        vector[0] = input.to_string().len() as f64;
        vector
    });
    json!({ "vectors": vectors.collect::<Vec<_>>() })
}
