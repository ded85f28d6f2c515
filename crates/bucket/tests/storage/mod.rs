//! A tiny S3 server with just enough for multipart uploads. It checks every signature by its own
//! computation, and fails on demand.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

pub const REGION: &str = "eu-test-1";

#[derive(Default)]
pub struct Storage {
    /// Access key → secret key, and the session token that must come with it.
    pub keys: Mutex<BTreeMap<String, (String, Option<String>)>>,
    pub objects: Mutex<BTreeMap<String, Vec<u8>>>,
    uploads: Mutex<BTreeMap<String, BTreeMap<u32, Vec<u8>>>>,
    /// Number of next requests to fail, and the status.
    pub failures: Mutex<(usize, u16)>,
    pub refuse_completion: Mutex<bool>,
    in_flight: AtomicUsize,
    pub most_in_flight: AtomicUsize,
    pub requests: AtomicUsize,
    pub largest_lifetime_s: AtomicUsize,
}

impl Storage {
    pub fn with_key(access: &str, secret: &str) -> Arc<Self> {
        let storage = Self::default();
        storage.keys.lock().unwrap().insert(access.to_owned(), (secret.to_owned(), None));
        Arc::new(storage)
    }

    pub fn open_uploads(&self) -> usize {
        self.uploads.lock().unwrap().len()
    }

    /// Listens on a free port for as long as the runtime lives.
    pub async fn listen(self: &Arc<Self>) -> SocketAddr {
        let router = Router::new().fallback(serve).with_state(Arc::clone(self));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        address
    }
}

async fn serve(State(storage): State<Arc<Storage>>, request: Request) -> Response {
    storage.requests.fetch_add(1, Ordering::SeqCst);
    let now = storage.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
    storage.most_in_flight.fetch_max(now, Ordering::SeqCst);
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let method = head.method.as_str().to_owned();
    let host = head.headers["host"].to_str().unwrap().to_owned();
    let query = head.uri.query().unwrap_or_default().to_owned();
    // Long enough for requests to overlap.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let answer = storage.answer(&method, head.uri.path(), &query, &host, body);
    storage.in_flight.fetch_sub(1, Ordering::SeqCst);
    answer
}

impl Storage {
    fn answer(&self, method: &str, path: &str, query: &str, host: &str, body: Bytes) -> Response {
        {
            let mut failures = self.failures.lock().unwrap();
            if failures.0 > 0 {
                failures.0 -= 1;
                return error(failures.1, "SlowDown", "told to fail");
            }
        }
        if let Err(why) = self.check_signature(method, path, query, host) {
            return error(403, "SignatureDoesNotMatch", &why);
        }
        let Some(object) = path.strip_prefix("/backups/") else {
            return error(404, "NoSuchBucket", "there is one bucket here");
        };
        let parameters = parameters(query);
        let upload_id = parameters.get("uploadId");
        match (method, upload_id) {
            ("POST", None) if parameters.contains_key("uploads") => {
                let id = format!("upload&{}", self.requests.load(Ordering::SeqCst));
                self.uploads.lock().unwrap().insert(id.clone(), BTreeMap::new());
                let id = id.replace('&', "&amp;");
                xml(&format!(
                    "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
                     <Bucket>backups</Bucket><Key>{object}</Key><UploadId>{id}</UploadId>\
                     </InitiateMultipartUploadResult>"
                ))
            }
            ("PUT", Some(id)) => self.part(id, &parameters["partNumber"], &body),
            ("POST", Some(id)) => self.complete(id, object, &body),
            ("DELETE", Some(id)) => {
                self.uploads.lock().unwrap().remove(id);
                StatusCode::NO_CONTENT.into_response()
            }
            _ => error(400, "InvalidRequest", "what is that?"),
        }
    }

    fn part(&self, id: &str, number: &str, body: &[u8]) -> Response {
        let mut uploads = self.uploads.lock().unwrap();
        let Some(parts) = uploads.get_mut(id) else {
            return error(404, "NoSuchUpload", id);
        };
        parts.insert(number.parse().unwrap(), body.to_vec());
        ([("etag", etag(body))], "").into_response()
    }

    fn complete(&self, id: &str, object: &str, body: &[u8]) -> Response {
        if *self.refuse_completion.lock().unwrap() {
            // A success status with an error body, as S3 may send.
            return xml("<Error><Code>InternalError</Code><Message>try again</Message></Error>");
        }
        let Some(parts) = self.uploads.lock().unwrap().remove(id) else {
            return error(404, "NoSuchUpload", id);
        };
        let mut expected = String::from("<CompleteMultipartUpload>");
        for (number, part) in &parts {
            let etag = etag(part);
            expected +=
                &format!("<Part><ETag>{etag}</ETag><PartNumber>{number}</PartNumber></Part>");
        }
        expected += "</CompleteMultipartUpload>";
        let given = String::from_utf8_lossy(body).replace("&quot;", "\"");
        if given != expected {
            return error(400, "InvalidPart", &given);
        }
        let content = parts.into_values().flatten().collect();
        self.objects.lock().unwrap().insert(object.to_owned(), content);
        xml("<CompleteMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <ETag>whole</ETag></CompleteMultipartUploadResult>")
    }

    /// Version 4, in the query.
    fn check_signature(
        &self,
        method: &str,
        path: &str,
        query: &str,
        host: &str,
    ) -> Result<(), String> {
        let given = parameters(query);
        let get = |name: &str| given.get(name).cloned().ok_or_else(|| format!("no {name}"));
        let credential = get("X-Amz-Credential")?;
        let (access, scope) = credential.split_once('/').ok_or("no scope")?;
        let keys = self.keys.lock().unwrap();
        let (secret, token) = keys.get(access).ok_or("an unknown key")?;
        if given.get("X-Amz-Security-Token") != token.as_ref() {
            return Err("another session token".to_owned());
        }
        let date = get("X-Amz-Date")?;
        if scope != format!("{}/{REGION}/s3/aws4_request", &date[..8]) {
            return Err(format!("the scope {scope}"));
        }
        let lifetime: usize = get("X-Amz-Expires")?.parse().map_err(|_| "no lifetime")?;
        self.largest_lifetime_s.fetch_max(lifetime, Ordering::SeqCst);
        let mut pairs: Vec<&str> =
            query.split('&').filter(|pair| !pair.starts_with("X-Amz-Signature=")).collect();
        pairs.sort_unstable();
        let request =
            format!("{method}\n{path}\n{}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD", pairs.join("&"));
        let hashed = hex(&Sha256::digest(request));
        let to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashed}");
        let mut key = format!("AWS4{secret}").into_bytes();
        for part in scope.split('/') {
            key = mac(&key, part);
        }
        if hex(&mac(&key, &to_sign)) == get("X-Amz-Signature")? {
            return Ok(());
        }
        Err("another signature".to_owned())
    }
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn etag(part: &[u8]) -> String {
    format!("\"{}\"", &hex(&Sha256::digest(part))[..32])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parameters(query: &str) -> BTreeMap<String, String> {
    let decode =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (decode(name), decode(value))).collect()
}

fn xml(text: &str) -> Response {
    ([("content-type", "application/xml")], text.to_owned()).into_response()
}

fn error(status: u16, code: &str, message: &str) -> Response {
    let text = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    (StatusCode::from_u16(status).unwrap(), xml(&text)).into_response()
}
