//! Encodes the Protocol Buffers fields that traces need.

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LENGTH_DELIMITED: u64 = 2;

/// Writes a message field by field.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub fn number(&mut self, field: u64, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    pub fn fixed64(&mut self, field: u64, value: u64) {
        self.key(field, FIXED64);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn bytes(&mut self, field: u64, value: &[u8]) {
        self.key(field, LENGTH_DELIMITED);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub fn message(&mut self, field: u64, write: impl FnOnce(&mut Message)) {
        let mut inner = Message::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    fn key(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the examples of the encoding's specification.
    #[test]
    fn fields_are_written_as_specified() {
        let mut message = Message::default();
        message.number(1, 150);
        assert_eq!(message.into_bytes(), [0x08, 0x96, 0x01]);
        let mut message = Message::default();
        message.bytes(2, b"testing");
        assert_eq!(message.into_bytes(), b"\x12\x07testing");
        let mut message = Message::default();
        message.message(3, |inner| inner.number(1, 150));
        assert_eq!(message.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let mut message = Message::default();
        message.fixed64(16, 1);
        assert_eq!(message.into_bytes(), [0x81, 0x01, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
