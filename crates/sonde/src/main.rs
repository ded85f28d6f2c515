//! The program `sonde`. Everything it does is in the library, where tests can reach it.

#[cfg(target_os = "linux")]
mod allocator;

use std::process::ExitCode;

use sonde::options::environment::Environment;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

#[cfg(not(target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    allocator::map_large_blocks_of_c();
    ExitCode::from(sonde::run(std::env::args_os(), &Environment::of_this_process()))
}
