//! Reads a tar archive as a stream. The `tar` crate parses headers; iterating over them is done
//! here, because the crate lets an archive decide how much memory long names and extensions take.

use std::io::{self, Read};

use tar::{EntryType, Header};

use crate::entry_name::{self, LONGEST};

const BLOCK: usize = 512;
/// Limit for extended headers and long names.
const MOST_EXTENSION_BYTES: u64 = 64 << 10;
/// Limit for zeros after the end: writers pad to their block size.
const MOST_PADDING_BYTES: u64 = 1 << 20;

/// A tar entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TarEntry {
    pub name: String,
    pub bytes: u64,
    pub is_folder: bool,
}

/// Error of an archive: its bytes, or one of its entries.
#[derive(Debug)]
pub(crate) enum TarError {
    Io(io::Error),
    Entry { name: String, what: String },
}

impl From<io::Error> for TarError {
    fn from(error: io::Error) -> Self {
        TarError::Io(error)
    }
}

#[derive(Debug)]
pub(crate) struct TarStream<R> {
    inner: R,
    /// Unread bytes of the current entry, and padding of its last block.
    left: u64,
    padding: u64,
    is_over: bool,
}

/// Name and length from extension headers, for the entry that follows.
#[derive(Default)]
struct Extension {
    name: Option<Vec<u8>>,
    bytes: Option<u64>,
}

impl<R: Read> TarStream<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, left: 0, padding: 0, is_over: false }
    }

    /// Advances to the next entry, skipping the rest of the current one.
    pub fn next_entry(&mut self) -> Result<Option<TarEntry>, TarError> {
        let mut extension = Extension::default();
        loop {
            self.skip_entry()?;
            let Some(header) = self.header()? else { return Ok(None) };
            self.expect(header.entry_size()?);
            match header.entry_type() {
                EntryType::GNULongName => extension.name = Some(self.long_name()?),
                EntryType::XHeader => self.extended_header(&mut extension)?,
                EntryType::XGlobalHeader => {
                    self.extension_bytes()?;
                }
                kind => {
                    if let Some(bytes) = extension.bytes {
                        self.expect(bytes);
                    }
                    let name = extension.name.unwrap_or_else(|| header.path_bytes().into_owned());
                    return self.entry(kind, &name).map(Some);
                }
            }
        }
    }

    fn entry(&mut self, kind: EntryType, name: &[u8]) -> Result<TarEntry, TarError> {
        let shown = || String::from_utf8_lossy(&name[..name.len().min(200)]).into_owned();
        let refused = |what: &str| TarError::Entry { name: shown(), what: what.to_owned() };
        let is_folder = match kind {
            EntryType::Regular | EntryType::Continuous => false,
            EntryType::Directory => true,
            EntryType::Symlink | EntryType::Link | EntryType::GNULongLink => {
                return Err(refused("is a link"));
            }
            _ => return Err(refused("is neither a file nor a folder")),
        };
        let plain = entry_name::plain(name).map_err(refused)?;
        if plain.is_empty() && !is_folder {
            return Err(refused("has no name"));
        }
        Ok(TarEntry { name: plain, bytes: self.left, is_folder })
    }

    /// Reads the next header; `None` at the end of the archive.
    fn header(&mut self) -> Result<Option<Header>, TarError> {
        if self.is_over {
            return Ok(None);
        }
        let mut block = [0; BLOCK];
        if !self.fill(&mut block)? || block.iter().all(|byte| *byte == 0) {
            self.is_over = true;
            return Ok(None);
        }
        let header = Header::from_byte_slice(&block).clone();
        // The checksum counts its own eight bytes as blanks.
        let sum: u32 = block[..148].iter().chain(&block[156..]).map(|byte| u32::from(*byte)).sum();
        if header.cksum()? != sum + 8 * u32::from(b' ') {
            return Err(invalid("the checksum of a header does not match").into());
        }
        Ok(Some(header))
    }

    /// Reads a block; returns false at the end of the stream. A partial block is an error.
    fn fill(&mut self, block: &mut [u8]) -> io::Result<bool> {
        let mut filled = 0;
        while filled < block.len() {
            match self.inner.read(&mut block[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn expect(&mut self, bytes: u64) {
        self.left = bytes;
        self.padding = bytes.wrapping_neg() % BLOCK as u64;
    }

    fn skip_entry(&mut self) -> io::Result<()> {
        let skipped = self.left.checked_add(self.padding);
        let skipped = skipped.ok_or_else(|| invalid("an entry is impossibly large"))?;
        (self.left, self.padding) = (0, 0);
        let copied = io::copy(&mut (&mut self.inner).take(skipped), &mut io::sink())?;
        if copied < skipped {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    fn extension_bytes(&mut self) -> Result<Vec<u8>, TarError> {
        if self.left > MOST_EXTENSION_BYTES {
            return Err(invalid("an extended header is too large").into());
        }
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn long_name(&mut self) -> Result<Vec<u8>, TarError> {
        let mut name = self.extension_bytes()?;
        while name.last() == Some(&0) {
            name.pop();
        }
        name.truncate(LONGEST + 1);
        Ok(name)
    }

    /// Parses records such as `30 path=a/long/name`, each with its own length first and a line end.
    fn extended_header(&mut self, extension: &mut Extension) -> Result<(), TarError> {
        let bytes = self.extension_bytes()?;
        let mut rest = bytes.as_slice();
        let bad = || invalid("an extended header cannot be read");
        while !rest.is_empty() && rest[0] != 0 {
            let blank = rest.iter().position(|byte| *byte == b' ').ok_or_else(bad)?;
            let length = number(&rest[..blank]).ok_or_else(bad)?;
            let length = usize::try_from(length).map_err(|_| bad())?;
            if length <= blank + 1 || length > rest.len() {
                return Err(bad().into());
            }
            let record = &rest[blank + 1..length];
            let record = record.strip_suffix(b"\n").ok_or_else(bad)?;
            if let Some(path) = record.strip_prefix(b"path=") {
                extension.name = Some(path.to_vec());
            } else if let Some(size) = record.strip_prefix(b"size=") {
                extension.bytes = Some(number(size).ok_or_else(bad)?);
            }
            rest = &rest[length..];
        }
        Ok(())
    }

    /// Reads to the very end, where only zeros may follow, so that the inner reader can verify its
    /// checksum.
    pub fn finish(mut self) -> io::Result<R> {
        self.skip_entry()?;
        let mut block = [0; BLOCK];
        let mut padding = 0;
        loop {
            match self.inner.read(&mut block)? {
                0 => return Ok(self.inner),
                read => {
                    padding += read as u64;
                    let is_empty = block[..read].iter().all(|byte| *byte == 0);
                    if !is_empty || padding > MOST_PADDING_BYTES {
                        return Err(invalid("it has data after its end"));
                    }
                }
            }
        }
    }
}

/// Reads the current entry.
impl<R: Read> Read for TarStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        let read = self.inner.read(&mut buffer[..wanted])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        Ok(read)
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
