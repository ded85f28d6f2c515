//! Arena for text in memory until a segment is written: chunks that never move, so that growing
//! neither copies nor temporarily doubles the memory.

const CHUNK_LENGTH: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub struct Arena {
    chunks: Vec<Vec<u8>>,
    /// Total capacity of the chunks.
    held: usize,
}

/// Start of a text in the arena.
#[derive(Debug, Clone, Copy)]
pub struct ArenaOffset {
    chunk: u32,
    offset: u32,
}

impl Arena {
    /// Adds texts next to each other.
    pub fn push(&mut self, texts: [&str; 2]) -> ArenaOffset {
        let length = texts[0].len() + texts[1].len();
        let fits = self.chunks.last().is_some_and(|chunk| chunk.capacity() - chunk.len() >= length);
        if !fits {
            // The first chunk is small: most segments hold a handful of documents.
            let usual = if self.chunks.is_empty() { CHUNK_LENGTH / 16 } else { CHUNK_LENGTH };
            let chunk = Vec::with_capacity(usual.max(length));
            self.held += chunk.capacity();
            self.chunks.push(chunk);
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        let place = ArenaOffset { chunk: number as u32, offset: chunk.len() as u32 };
        for text in texts {
            chunk.extend_from_slice(text.as_bytes());
        }
        place
    }

    /// Returns `length` bytes, starting `skip` bytes after a text's start.
    pub fn get(&self, place: ArenaOffset, skip: u32, length: u32) -> &[u8] {
        let start = place.offset as usize + skip as usize;
        &self.chunks[place.chunk as usize][start..start + length as usize]
    }

    pub fn memory_used(&self) -> usize {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_come_back() {
        let mut arena = Arena::default();
        let long = "x".repeat(3 * CHUNK_LENGTH);
        let texts = ["a", "", &long, "b", "c"];
        let places: Vec<ArenaOffset> = texts.iter().map(|text| arena.push(["id", text])).collect();
        for (text, place) in texts.iter().zip(places) {
            assert_eq!(arena.get(place, 0, 2), b"id");
            assert_eq!(arena.get(place, 2, text.len() as u32), text.as_bytes());
        }
        assert!(arena.memory_used() >= long.len());
        assert!(arena.memory_used() < long.len() + 3 * CHUNK_LENGTH);
    }
}
