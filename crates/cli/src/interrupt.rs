//! Handles Ctrl-C and SIGTERM: a command ends in good order at its next step. A second signal ends
//! it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use model::Cancel;

use crate::error::CliError;

const INTERRUPTED: u8 = 130;
const TERMINATED: u8 = 143;

/// Cancellation by a signal. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    pub cancel: Cancel,
    /// Exit code for the signal received; 0 if there was none.
    exit_code: Arc<AtomicU8>,
}

impl Interrupt {
    /// Starts listening to signals. If that fails, they keep their default effect.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        // Without the thread, signals keep their default effect too.
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(move || heard.wait());
        interrupt
    }

    pub(crate) fn check(&self) -> Result<(), CliError> {
        self.cancel.check().map_err(|_| CliError::Interrupted {
            exit_code: self.exit_code.load(Ordering::Relaxed),
        })
    }

    fn wait(&self) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(async {
            let Ok(mut signals) = Signals::listen() else { return };
            loop {
                let Some(code) = signals.next().await else { return };
                if self.exit_code.swap(code, Ordering::Relaxed) != 0 {
                    std::process::exit(i32::from(code));
                }
                self.cancel.cancel();
            }
        });
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Option<u8> {
        tokio::select! {
            came = self.interrupt.recv() => came.map(|()| INTERRUPTED),
            came = self.terminate.recv() => came.map(|()| TERMINATED),
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Option<u8> {
        tokio::signal::ctrl_c().await.ok().map(|()| INTERRUPTED)
    }
}
