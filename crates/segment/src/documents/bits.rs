//! Bit streams of numbers of any width up to 32 bits, lowest bit first.

/// Reading a number accesses this many bytes, so a stream must be followed by as many.
pub const SLACK: usize = 8;

#[derive(Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// Writes the lowest `width` bits; the others must be zero.
    pub fn write(&mut self, value: u32, width: u32) {
        self.pending |= u64::from(value) << self.pending_bits;
        self.pending_bits += width;
        if self.pending_bits >= 32 {
            self.bytes.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.pending_bits -= 32;
        }
    }

    /// Pads the last byte, returns all bytes and starts over.
    pub fn take(&mut self) -> Vec<u8> {
        let left = self.pending_bits.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..left]);
        self.pending = 0;
        self.pending_bits = 0;
        std::mem::take(&mut self.bytes)
    }
}

#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// Position in bits.
    position: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8], start: usize) -> Option<Self> {
        Some(Self { bytes, position: start.checked_mul(8)? })
    }

    /// Reads a number; `None` past the end.
    pub fn read(&mut self, width: u32) -> Option<u32> {
        let start = self.position / 8;
        let chunk = self.bytes.get(start..)?.first_chunk::<SLACK>()?;
        let value = u64::from_le_bytes(*chunk) >> (self.position % 8);
        self.position += width as usize;
        Some((value & ((1 << width) - 1)) as u32)
    }

    pub fn skip(&mut self, bits: usize) -> Option<()> {
        self.position = self.position.checked_add(bits)?;
        Some(())
    }
}

/// Returns the number of bits that a number needs, 0 for 0.
pub fn width_of(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_come_back() {
        let mut writer = BitWriter::default();
        for width in 0..=32 {
            writer.write(u32::MAX.checked_shr(32 - width).unwrap_or(0), width);
            writer.write(0, width);
        }
        let mut bytes = writer.take();
        bytes.extend([0; SLACK]);
        let mut reader = BitReader::new(&bytes, 0).unwrap();
        for width in 0..=32 {
            let expected = u32::MAX.checked_shr(32 - width).unwrap_or(0);
            assert_eq!(width_of(expected), width);
            assert_eq!(reader.read(width), Some(expected));
            reader.skip(width as usize).unwrap();
        }
        reader.skip(8 * SLACK).unwrap();
        assert_eq!(reader.read(1), None);
    }
}
