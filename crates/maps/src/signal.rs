//! The handler of SIGBUS. It calls nothing but what a signal handler may call: atomics, `mmap` and
//! `sigaction`.
#![allow(unsafe_code)]

use std::mem;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libc::{c_int, c_void, siginfo_t};

use crate::registry::note_failure_at;

static INSTALLED: Once = Once::new();
static PAGE_SIZE: AtomicUsize = AtomicUsize::new(0);
/// The previous handler: that of the runtime, which reports stack overflows.
static PREVIOUS_HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static PREVIOUS_TAKES_INFO: AtomicBool = AtomicBool::new(false);

type PlainHandler = extern "C" fn(c_int);
type InfoHandler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// Installs the handler once for the process.
pub(crate) fn install() {
    INSTALLED.call_once(|| {
        // SAFETY: `sysconf` has no preconditions. `sigaction` gets structures that are fully
        // initialised (all zeros are a valid `sigaction`) and a handler with the signature that
        // SA_SIGINFO asks for. What the handler reads is written before it is installed.
        unsafe {
            let page_size = libc::sysconf(libc::_SC_PAGESIZE);
            PAGE_SIZE.store(usize::try_from(page_size).unwrap_or(4096), Ordering::Relaxed);
            let mut previous: libc::sigaction = mem::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous) == 0 {
                PREVIOUS_HANDLER.store(previous.sa_sigaction, Ordering::Relaxed);
                let takes_info = previous.sa_flags & libc::SA_SIGINFO != 0;
                PREVIOUS_TAKES_INFO.store(takes_info, Ordering::Relaxed);
            }
            let mut action: libc::sigaction = mem::zeroed();
            let handler: InfoHandler = on_bus_error;
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            libc::sigemptyset(&raw mut action.sa_mask);
            // If it cannot be installed, a lost file ends the process, as without it.
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    });
}

extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a valid `siginfo_t`. A signal that another process sent has a
    // code of 0 or less and no address.
    let address = unsafe { ((*info).si_code > 0).then(|| (*info).si_addr() as usize) };
    if let Some(address) = address
        && note_failure_at(address)
        && replace_page(address)
    {
        return;
    }
    pass_on(signal, info, context);
}

/// Replaces the unreadable page with zeros.
fn replace_page(address: usize) -> bool {
    let size = PAGE_SIZE.load(Ordering::Relaxed);
    let page = (address & !(size - 1)) as *mut c_void;
    // SAFETY: the page lies in a registered map of a file, whose owner is alive because a thread is
    // reading it. It becomes readable memory of the same length; it was unreadable before.
    let replaced = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED;
        libc::mmap(page, size, libc::PROT_READ, flags, -1, 0)
    };
    replaced == page
}

/// Passes every other fault to the previous handler.
fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS_HANDLER.load(Ordering::Relaxed);
    // SAFETY: `previous` is either one of the two constants or the address of a handler of the kind
    // that its flag says. After the default action is restored, the instruction that faulted runs
    // again and ends the process; a signal that was sent is raised again.
    unsafe {
        if previous == libc::SIG_DFL || previous == libc::SIG_IGN {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
            if (*info).si_code <= 0 {
                libc::raise(signal);
            }
        } else if PREVIOUS_TAKES_INFO.load(Ordering::Relaxed) {
            mem::transmute::<usize, InfoHandler>(previous)(signal, info, context);
        } else {
            mem::transmute::<usize, PlainHandler>(previous)(signal);
        }
    }
}
