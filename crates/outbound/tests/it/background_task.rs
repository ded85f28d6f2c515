//! Tests work that runs in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use outbound::{AddressPolicy, Client, block_in_place};

fn client() -> Client {
    Client::new(AddressPolicy::Any).expect("a client")
}

#[tokio::test]
async fn task_runs_by_itself_and_is_awaited_from_other_runtimes() {
    let client = client();
    let done = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&done);
    let pending = client.start(async move {
        block_in_place(|| flag.store(true, Ordering::SeqCst));
        7
    });
    while !done.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(pending.expect("a running client").await, Some(7));
}

#[tokio::test]
async fn work_that_is_dropped_ends() {
    struct Tells(Arc<AtomicBool>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let client = client();
    let ended = Arc::new(AtomicBool::new(false));
    let tells = Tells(Arc::clone(&ended));
    let pending = client.start(async move {
        let _tells = tells;
        std::future::pending::<()>().await;
    });
    drop(pending);
    while !ended.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn work_that_panics_has_no_outcome() {
    let pending = client().start(async { panic!("on purpose") });
    let outcome: Option<()> = pending.expect("a running client").await;
    assert_eq!(outcome, None);
}
