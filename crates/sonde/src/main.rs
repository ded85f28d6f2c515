//! The program `sonde`. Everything it does is in the library, where tests can reach it.

use std::process::ExitCode;

use sonde::options::environment::Environment;

/// Indexing allocates and frees from several threads at once, where the allocator of the
/// system is slow and fragments.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(sonde::run(std::env::args_os(), &Environment::of_this_process()))
}
