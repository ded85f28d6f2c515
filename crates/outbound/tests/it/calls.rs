//! Calls to a server in this process: answers, redirects, limits, refusals.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{any, post};
use model::Cancel;
use outbound::{AddressPolicy, Answer, Call, Client, OutboundError};

fn serve(router: Router) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    address
}

/// Repeats the body and the headers it is asked about.
fn echo() -> Router {
    let handler = |headers: HeaderMap, body: Bytes| async move {
        let header =
            |name: &str| headers.get(name).map_or("-", |value| value.to_str().unwrap()).to_owned();
        format!(
            "{} {} {}",
            header("authorization"),
            header("x-key"),
            String::from_utf8_lossy(&body)
        )
    };
    Router::new().route("/echo", any(handler))
}

fn local() -> Client {
    Client::new("127.0.0.0/8".parse().unwrap()).unwrap()
}

fn call(url: String) -> Call {
    Call::post(url, "body", Duration::from_secs(60))
        .header("Authorization", "Bearer secret-key")
        .header("X-Key", "first")
        .header("x-key", "secret-other")
}

fn send(client: &Client, call: Call) -> Result<Answer, OutboundError> {
    client.send_blocking(call, &Cancel::default())
}

#[test]
fn an_answer_comes_back() {
    let address = serve(echo());
    let answer = send(&local(), call(format!("http://{address}/echo"))).unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, "Bearer secret-key secret-other body");
    assert_eq!(answer.retry_after, None);
}

#[test]
fn errors_and_pauses_are_answers_too() {
    let busy = || async { (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "7")], "busy") };
    let address = serve(Router::new().route("/busy", post(busy)));
    let answer = send(&local(), call(format!("http://{address}/busy"))).unwrap();
    assert_eq!((answer.status, answer.retry_after), (429, Some(Duration::from_secs(7))));
    assert_eq!(answer.body, "busy");
}

#[test]
fn addresses_are_checked_as_written_and_as_resolved() {
    let address = serve(echo());
    let guarded = Client::new(AddressPolicy::default()).unwrap();
    let port = address.port();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f000001"] {
        let error = send(&guarded, call(format!("http://{host}:{port}/echo"))).unwrap_err();
        match host {
            "localhost" => {
                assert!(matches!(error, OutboundError::RejectedName(_)), "{error:?}");
                // The caller chose the name; its address is for the log alone.
                let text = format!("{error} {error:?}");
                assert!(text.contains("`localhost`"), "{text}");
                assert!(text.contains("--experimental-allowed-ip-networks"), "{text}");
                assert!(!text.contains("127.0.0.1") && !text.contains("::1"), "{text}");
            }
            _ => assert!(matches!(error, OutboundError::Rejected(_)), "{host}: {error:?}"),
        }
        assert!(!error.is_transient());
    }
    let error = send(&guarded, call("ftp://example.org/x".to_owned())).unwrap_err();
    assert_eq!(error.to_string(), "rejected URI: only `http` and `https` are supported, got `ftp`");
}

fn redirect(status: StatusCode, target: String) -> Router {
    let handler = move || async move { (status, [(header::LOCATION, target)]).into_response() };
    Router::new().route("/from", any(handler))
}

#[test]
fn redirects_to_the_same_server_keep_everything() {
    let router = redirect(StatusCode::TEMPORARY_REDIRECT, "/echo".to_owned()).merge(echo());
    let address = serve(router);
    let answer = send(&local(), call(format!("http://{address}/from"))).unwrap();
    assert_eq!(answer.body, "Bearer secret-key secret-other body");
}

#[test]
fn redirects_to_another_server_take_no_secrets_along() {
    let other = serve(echo());
    let address = serve(redirect(StatusCode::FOUND, format!("http://{other}/echo")));
    let answer = send(&local(), call(format!("http://{address}/from"))).unwrap();
    assert_eq!(answer.body, "- - ");
    let address = serve(redirect(StatusCode::PERMANENT_REDIRECT, format!("http://{other}/echo")));
    let error = send(&local(), call(format!("http://{address}/from"))).unwrap_err();
    assert!(matches!(error, OutboundError::Redirected));
}

#[test]
fn redirect_targets_are_checked_and_counted() {
    let address = serve(redirect(StatusCode::FOUND, "http://10.0.0.1/".to_owned()));
    let error = send(&local(), call(format!("http://{address}/from"))).unwrap_err();
    assert!(matches!(error, OutboundError::Rejected(_)), "{error:?}");
    let address = serve(redirect(StatusCode::FOUND, "/from".to_owned()));
    let error = send(&local(), call(format!("http://{address}/from"))).unwrap_err();
    assert!(matches!(error, OutboundError::TooManyRedirects(_)));
}

fn slow() -> SocketAddr {
    let handler = || async { tokio::time::sleep(Duration::from_secs(600)).await };
    serve(Router::new().route("/slow", post(handler)))
}

#[test]
fn calls_end_in_time() {
    let mut late = call(format!("http://{}/slow", slow()));
    late.timeout = Duration::from_millis(100);
    let start = Instant::now();
    let error = send(&local(), late).unwrap_err();
    assert!(matches!(error, OutboundError::Timeout(_)) && error.is_transient());
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_caller_can_stop_waiting() {
    let cancel = Cancel::new();
    let late = call(format!("http://{}/slow", slow()));
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        let start = Instant::now();
        let error = local().send_blocking(late, &cancel).unwrap_err();
        assert!(matches!(error, OutboundError::Stopped));
        assert!(start.elapsed() < Duration::from_secs(20));
    });
}

#[test]
fn answers_are_bounded() {
    let large = || async { "x".repeat(100_000) };
    let address = serve(Router::new().route("/large", post(large)));
    let mut call = call(format!("http://{address}/large"));
    call.max_answer_bytes = 99_999;
    let error = send(&local(), call.clone()).unwrap_err();
    assert!(matches!(error, OutboundError::TooLarge { limit: 99_999 }));
    call.max_answer_bytes = 100_000;
    assert_eq!(send(&local(), call).unwrap().body.len(), 100_000);
}

#[test]
fn refused_connection_is_a_network_error_without_secrets() {
    // Bound and dropped: nothing listens.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = send(&local(), call(format!("http://u:pw@127.0.0.1:{port}/?key=abc"))).unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    let text = format!("{error} {error:?}");
    assert!(!text.contains("abc") && !text.contains("pw") && !text.contains("secret"), "{text}");
}

#[test]
fn invalid_headers_are_refused_without_their_value() {
    for (name, value) in [("X Y", "secret"), ("X-Y", "sec\nret")] {
        let bad = Call::post("http://127.0.0.1:9/", "", Duration::from_secs(1)).header(name, value);
        let error = send(&local(), bad).unwrap_err();
        assert_eq!(error.to_string(), format!("invalid header `{name}`"));
    }
    let error = send(&local(), call("nowhere".to_owned())).unwrap_err();
    assert_eq!(error.to_string(), "invalid URI: relative URL without a base");
}

#[test]
fn a_call_hides_its_secrets() {
    let text = format!("{:?}", call("http://x/?key=abc".to_owned()));
    assert!(text.contains("Authorization"), "{text}");
    assert!(!text.contains("secret") && !text.contains("abc"), "{text}");
}

#[test]
fn a_client_works_inside_of_asynchronous_code_too() {
    let address = serve(echo());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = runtime.block_on(async {
        let client = local();
        client.send(&call(format!("http://{address}/echo"))).await
    });
    assert_eq!(answer.unwrap().status, 200);
}
