//! A file to import: what form it has, where its bytes come from, and how to know it again.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use flate2::bufread::MultiGzDecoder;
use xxhash_rust::xxh3::xxh3_64;

use super::cut::{CsvCutter, Cutter, JsonCutter, LineCutter, Lost};
use super::text::{Point, Text};
use crate::error::CliError;

const BUFFER_BYTES: usize = 256 << 10;
/// So much of the beginning is part of what a file is known by.
const BEGINNING_BYTES: u64 = 64 << 10;
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Lines,
    Csv { delimiter: u8 },
}

impl Form {
    /// What the name of a file says, with or without the ending of a compression.
    pub(crate) fn of_name(path: &Path, delimiter: Option<u8>) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        let (_, ending) = name.rsplit_once('.')?;
        Self::of_word(ending, delimiter)
    }

    pub(crate) fn of_word(word: &str, delimiter: Option<u8>) -> Option<Self> {
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
    /// How it is called in messages.
    pub(crate) name: String,
    /// None for stdin.
    path: Option<PathBuf>,
    pub(crate) form: Form,
    /// As it stands on disk.
    pub(crate) bytes: Option<u64>,
    /// Bytes read so far, as they stand on disk.
    pub(crate) position: Arc<AtomicU64>,
}

impl Input {
    pub(crate) fn stdin(form: Form) -> Self {
        let position = Arc::default();
        Self { name: "stdin".to_owned(), path: None, form, bytes: None, position }
    }

    pub(crate) fn file(path: &Path, form: Form) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let about = path.metadata().map_err(CliError::io(&name))?;
        // A pipe has no length, and cannot be read twice.
        let bytes = about.is_file().then_some(about.len());
        Ok(Self { name, path: Some(path.to_owned()), form, bytes, position: Arc::default() })
    }

    /// Whether it can be opened again.
    pub(crate) fn is_lasting(&self) -> bool {
        self.path.is_some() && self.bytes.is_some()
    }

    /// What the file is known by; none for what cannot be opened again.
    pub(crate) fn identity(&self) -> Result<Option<u64>, CliError> {
        let Some(path) = self.path.as_ref().filter(|_| self.is_lasting()) else { return Ok(None) };
        let file = File::open(path).map_err(CliError::io(&self.name))?;
        let about = file.metadata().map_err(CliError::io(&self.name))?;
        let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let mut known = Vec::new();
        file.take(BEGINNING_BYTES).read_to_end(&mut known).map_err(CliError::io(&self.name))?;
        known.extend(about.len().to_le_bytes());
        known.extend(modified.unwrap_or_default().as_nanos().to_le_bytes());
        Ok(Some(xxh3_64(&known)))
    }

    /// Cuts documents from this place on.
    pub(crate) fn cutter(&self, at: Point) -> Result<Box<dyn Cutter>, Lost> {
        let is_start = at == Point::START;
        Ok(match self.form {
            Form::Lines => Box::new(LineCutter::new(self.open(at)?)),
            Form::Json if is_start => Box::new(JsonCutter::new(self.open(at)?)),
            Form::Json => Box::new(JsonCutter::resume(self.open(at)?)),
            Form::Csv { delimiter } => {
                let cutter = CsvCutter::new(self.open(Point::START)?, delimiter)?;
                Box::new(if is_start { cutter } else { cutter.resume(self.open(at)?) })
            }
        })
    }

    fn open(&self, at: Point) -> io::Result<Text> {
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
        let mut text = Text::new(reader, at);
        if at.offset == 0 && text.look()?.starts_with(BYTE_ORDER_MARK) {
            text.skip(BYTE_ORDER_MARK.len())?;
        }
        Ok(text)
    }

    /// The bytes as they stand on disk, and the first few of them.
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
        let counted = Counted { reader, position: Arc::clone(&self.position) };
        Box::new(BufReader::with_capacity(BUFFER_BYTES, counted))
    }
}

/// What is compressed has to be read up to the place.
fn forward(
    mut reader: Box<dyn BufRead + Send>,
    at: Point,
) -> io::Result<(Box<dyn BufRead + Send>, Point)> {
    io::copy(&mut reader.by_ref().take(at.offset), &mut io::sink())?;
    Ok((reader, at))
}

struct Counted {
    reader: Box<dyn Read + Send>,
    position: Arc<AtomicU64>,
}

impl Read for Counted {
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
        let form = |name: &str| Form::of_name(Path::new(name), None);
        assert_eq!(form("a/people.json"), Some(Form::Json));
        assert_eq!(form("people.JSONL.gz"), Some(Form::Lines));
        assert_eq!(form("people.ndjson.zst"), Some(Form::Lines));
        assert_eq!(form("people.tsv"), Some(Form::Csv { delimiter: b'\t' }));
        assert_eq!(form("people.txt"), None);
        assert_eq!(form("csv"), None);
        let semicolons = Form::of_name(Path::new("a.csv"), Some(b';'));
        assert_eq!(semicolons, Some(Form::Csv { delimiter: b';' }));
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
            let input = Input::file(&path, Form::Lines).unwrap();
            let mut cutter = input.cutter(Point::START).unwrap();
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
            assert_eq!(known, Input::file(&path, Form::Lines).unwrap().identity().unwrap());
            std::fs::write(&path, b"{}").unwrap();
            assert_ne!(known, input.identity().unwrap());
        }
    }
}
