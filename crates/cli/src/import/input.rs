//! A file to import: its format, its bytes and its identity.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use flate2::bufread::MultiGzDecoder;
use xxhash_rust::xxh3::xxh3_64;

use super::cut::{CsvCutter, CutError, Cutter, JsonCutter, LineCutter};
use super::source::{FilePosition, SourceReader};
use crate::error::CliError;

const BUFFER_BYTES: usize = 256 << 10;
/// Length of the beginning of a file that is part of its identity.
const BEGINNING_BYTES: u64 = 64 << 10;
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Json,
    Lines,
    Csv { delimiter: u8 },
}

impl FileFormat {
    /// Derives the format from a file name, with or without a compression suffix.
    pub(crate) fn from_file_name(path: &Path, delimiter: Option<u8>) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        let (_, ending) = name.rsplit_once('.')?;
        Self::from_name(ending, delimiter)
    }

    pub(crate) fn from_name(word: &str, delimiter: Option<u8>) -> Option<Self> {
        match word {
            "json" => Some(Self::Json),
            "ndjson" | "jsonl" => Some(Self::Lines),
            "csv" => Some(Self::Csv { delimiter: delimiter.unwrap_or(b',') }),
            "tsv" => Some(Self::Csv { delimiter: delimiter.unwrap_or(b'\t') }),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    /// `None` for stdin.
    path: Option<PathBuf>,
    pub(crate) format: FileFormat,
    /// Its length on disk; `None` if unknown.
    pub(crate) bytes: Option<u64>,
    /// Bytes of the file on disk read so far.
    pub(crate) position: Arc<AtomicU64>,
}

impl Input {
    pub(crate) fn stdin(format: FileFormat) -> Self {
        let position = Arc::default();
        Self { name: "stdin".to_owned(), path: None, format, bytes: None, position }
    }

    pub(crate) fn file(path: &Path, format: FileFormat) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let about = path.metadata().map_err(CliError::io(&name))?;
        // A pipe has no length, and cannot be read twice.
        let bytes = about.is_file().then_some(about.len());
        Ok(Self { name, path: Some(path.to_owned()), format, bytes, position: Arc::default() })
    }

    /// Returns whether it can be opened again.
    pub(crate) fn is_reopenable(&self) -> bool {
        self.path.is_some() && self.bytes.is_some()
    }

    /// Returns a hash that identifies the file; `None` if it cannot be opened again.
    pub(crate) fn identity(&self) -> Result<Option<u64>, CliError> {
        let Some(path) = self.path.as_ref().filter(|_| self.is_reopenable()) else {
            return Ok(None);
        };
        let file = File::open(path).map_err(CliError::io(&self.name))?;
        let about = file.metadata().map_err(CliError::io(&self.name))?;
        let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let mut known = Vec::new();
        file.take(BEGINNING_BYTES).read_to_end(&mut known).map_err(CliError::io(&self.name))?;
        known.extend(about.len().to_le_bytes());
        known.extend(modified.unwrap_or_default().as_nanos().to_le_bytes());
        Ok(Some(xxh3_64(&known)))
    }

    /// Returns a cutter that starts at this position.
    pub(crate) fn cutter(&self, at: FilePosition) -> Result<Box<dyn Cutter>, CutError> {
        let is_start = at == FilePosition::START;
        Ok(match self.format {
            FileFormat::Lines => Box::new(LineCutter::new(self.open(at)?)),
            FileFormat::Json if is_start => Box::new(JsonCutter::new(self.open(at)?)),
            FileFormat::Json => Box::new(JsonCutter::resume(self.open(at)?)),
            FileFormat::Csv { delimiter } => {
                let cutter = CsvCutter::new(self.open(FilePosition::START)?, delimiter)?;
                Box::new(if is_start { cutter } else { cutter.resume(self.open(at)?) })
            }
        })
    }

    fn open(&self, at: FilePosition) -> io::Result<SourceReader> {
        let (beginning, raw) = self.raw()?;
        let (reader, at) = if beginning.starts_with(GZIP) {
            forward(Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(raw))), at)?
        } else if beginning.starts_with(ZSTD) {
            let decoder = zstd::stream::read::Decoder::with_buffer(raw)?;
            forward(Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder)), at)?
        } else if let Some(path) = self.path.as_ref().filter(|_| at.offset > 0) {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(at.offset))?;
            self.position.store(at.offset, Ordering::Relaxed);
            (self.buffered(Box::new(file)), at)
        } else {
            (raw, at)
        };
        let mut text = SourceReader::new(reader, at);
        if at.offset == 0 && text.peek()?.starts_with(BYTE_ORDER_MARK) {
            text.skip(BYTE_ORDER_MARK.len())?;
        }
        Ok(text)
    }

    /// Opens the bytes as they are on disk; also returns the first few of them.
    fn raw(&self) -> io::Result<(Vec<u8>, Box<dyn BufRead + Send>)> {
        let mut reader: Box<dyn Read + Send> = match &self.path {
            Some(path) => Box::new(File::open(path)?),
            None => Box::new(io::stdin()),
        };
        let mut beginning = Vec::new();
        reader.by_ref().take(ZSTD.len() as u64).read_to_end(&mut beginning)?;
        self.position.store(0, Ordering::Relaxed);
        let whole = io::Cursor::new(beginning.clone()).chain(reader);
        Ok((beginning, self.buffered(Box::new(whole))))
    }

    fn buffered(&self, reader: Box<dyn Read + Send>) -> Box<dyn BufRead + Send> {
        let counted = CountingReader { reader, position: Arc::clone(&self.position) };
        Box::new(BufReader::with_capacity(BUFFER_BYTES, counted))
    }
}

/// Skips to the position by reading: compressed data cannot be seeked.
fn forward(
    mut reader: Box<dyn BufRead + Send>,
    at: FilePosition,
) -> io::Result<(Box<dyn BufRead + Send>, FilePosition)> {
    io::copy(&mut reader.by_ref().take(at.offset), &mut io::sink())?;
    Ok((reader, at))
}

struct CountingReader {
    reader: Box<dyn Read + Send>,
    position: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.position.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_form() {
        let format = |name: &str| FileFormat::from_file_name(Path::new(name), None);
        assert_eq!(format("a/people.json"), Some(FileFormat::Json));
        assert_eq!(format("people.JSONL.gz"), Some(FileFormat::Lines));
        assert_eq!(format("people.ndjson.zst"), Some(FileFormat::Lines));
        assert_eq!(format("people.tsv"), Some(FileFormat::Csv { delimiter: b'\t' }));
        assert_eq!(format("people.txt"), None);
        assert_eq!(format("csv"), None);
        let semicolons = FileFormat::from_file_name(Path::new("a.csv"), Some(b';'));
        assert_eq!(semicolons, Some(FileFormat::Csv { delimiter: b';' }));
    }

    #[test]
    fn a_file_is_read_from_any_place_whatever_its_compression() {
        let folder = tempfile::tempdir().unwrap();
        let lines: String = (0..1000).map(|id| format!("{{\"id\":{id}}}\n")).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, lines.as_bytes()).unwrap();
        let marked = [BYTE_ORDER_MARK, lines.as_bytes()].concat();
        for (name, bytes) in [
            ("a.ndjson", marked),
            ("a.ndjson.gz", gzip.finish().unwrap()),
            ("a.ndjson.zst", zstd::encode_all(lines.as_bytes(), 1).unwrap()),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            let input = Input::file(&path, FileFormat::Lines).unwrap();
            let mut cutter = input.cutter(FilePosition::START).unwrap();
            for _ in 0..700 {
                cutter.next(&mut Vec::new()).unwrap().unwrap();
            }
            let mut later = input.cutter(cutter.point()).unwrap();
            let mut out = Vec::new();
            assert_eq!(later.next(&mut out).unwrap().unwrap().line, 701, "{name}");
            assert_eq!(out, b"{\"id\":700}", "{name}");
            while later.next(&mut out).unwrap().is_some() {}
            assert_eq!(input.position.load(Ordering::Relaxed), bytes.len() as u64, "{name}");
            let known = input.identity().unwrap();
            assert_eq!(known, Input::file(&path, FileFormat::Lines).unwrap().identity().unwrap());
            std::fs::write(&path, b"{}").unwrap();
            assert_ne!(known, input.identity().unwrap());
        }
    }
}
