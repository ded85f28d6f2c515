//! Sums over two vectors, by the widest instructions that the processor has. They are detected
//! once; tests check every form against the plain one.
//!
//! Vectors are rows of little-endian bytes, as in files: nothing has to be aligned or copied, and
//! the plain form is right on every machine. `unsafe` is confined to this folder.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
mod prefetch;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use prefetch::prefetch;

/// Sum over two rows of the same length.
type Sum = fn(&[u8], &[u8]) -> f32;

/// One set of instructions.
#[derive(Debug, Clone, Copy)]
pub struct Kernels {
    /// Name of the instruction set.
    #[cfg_attr(not(test), expect(dead_code, reason = "failing tests name it"))]
    pub name: &'static str,
    /// Σ aᵢ·bᵢ of 32-bit floats.
    pub dot: Sum,
    /// Σ (aᵢ − bᵢ)² of 32-bit floats.
    pub squared_difference: Sum,
    /// The number of bits that differ.
    pub differing_bits: Sum,
}

/// The best kernels that this processor can run.
pub static KERNELS: LazyLock<Kernels> = LazyLock::new(|| *available().last().unwrap_or(&PLAIN));

const PLAIN: Kernels = Kernels {
    name: "plain",
    dot: plain::dot,
    squared_difference: plain::squared_difference,
    differing_bits: plain::differing_bits,
};

/// Returns all kernels that this processor can run, the widest last.
fn available() -> Vec<Kernels> {
    let mut found = vec![PLAIN];
    #[cfg(target_arch = "x86_64")]
    {
        found.extend(avx2::kernels());
        found.extend(avx512::kernels());
    }
    #[cfg(target_arch = "aarch64")]
    found.extend(neon::kernels());
    found
}
