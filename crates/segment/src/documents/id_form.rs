//! Form of the external ids of a file: the bytes that occur in them and their greatest length. It
//! decides how many bits a letter and a length take.

use super::bits::width_of;

/// count 8 | longest id 4 | zero 4 | alphabet 32
pub const HEAD_LENGTH: usize = 48;
const KEY_BITS: u32 = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdForm {
    /// Bytes that occur.
    members: [bool; 256],
    longest: u32,
}

impl Default for IdForm {
    fn default() -> Self {
        Self { members: [false; 256], longest: 0 }
    }
}

impl IdForm {
    pub fn add(&mut self, id: &[u8]) {
        for &byte in id {
            self.members[byte as usize] = true;
        }
        self.longest = self.longest.max(id.len() as u32);
    }

    pub fn add_form(&mut self, other: &Self) {
        for (member, also) in self.members.iter_mut().zip(other.members) {
            *member |= also;
        }
        self.longest = self.longest.max(other.longest);
    }

    /// Returns whether an id can consist of this many letters of its predecessor and of its own.
    pub fn allows(&self, shared: u32, rest: u32) -> bool {
        u64::from(shared) + u64::from(rest) <= u64::from(self.longest)
    }

    pub fn length_bits(&self) -> u32 {
        width_of(self.longest)
    }

    pub fn write(&self, count: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&self.longest.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        for eight in self.members.chunks_exact(8) {
            let byte = eight
                .iter()
                .enumerate()
                .fold(0, |byte, (bit, &member)| byte | u8::from(member) << bit);
            out.push(byte);
        }
    }

    pub fn parse(head: &[u8; HEAD_LENGTH]) -> Self {
        let mut form = Self {
            longest: u32::from_le_bytes([head[8], head[9], head[10], head[11]]),
            ..Self::default()
        };
        for (byte, member) in form.members.iter_mut().enumerate() {
            *member = head[16 + byte / 8] & (1 << (byte % 8)) != 0;
        }
        form
    }
}

/// Bytes that occur in ids, numbered in order.
#[derive(Debug, Clone)]
pub struct Alphabet {
    pub letters: Vec<u8>,
    pub bits: u32,
    numbers: [u8; 256],
}

impl Alphabet {
    pub fn new(form: &IdForm) -> Self {
        let letters: Vec<u8> = (0..=255).filter(|&byte| form.members[byte as usize]).collect();
        let mut numbers = [0; 256];
        for (number, &letter) in letters.iter().enumerate() {
            numbers[letter as usize] = number as u8;
        }
        Self { bits: width_of(letters.len().saturating_sub(1) as u32), letters, numbers }
    }

    /// Returns the number of a byte that occurs.
    pub fn number(&self, letter: u8) -> u32 {
        self.numbers[letter as usize].into()
    }

    /// Packs the start of an id into a number: of two ids, the one with the smaller number is
    /// smaller. Equal numbers say nothing.
    pub fn key(&self, letters: impl Iterator<Item = u32>) -> u64 {
        let in_key = KEY_BITS.checked_div(self.bits).unwrap_or(0);
        let letters = letters.chain(std::iter::repeat(0)).take(in_key as usize);
        letters.fold(0, |key, letter| key << self.bits | u64::from(letter))
    }

    /// Numbers the bytes of a text; `None` if one of them occurs in no id.
    pub fn numbers_of(&self, text: &[u8], form: &IdForm) -> Option<Vec<u32>> {
        text.iter().map(|&byte| form.members[byte as usize].then(|| self.number(byte))).collect()
    }
}
