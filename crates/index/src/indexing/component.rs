//! Common interface of the components that are built from documents, for building one in parts.

use model::Cancel;
use roaring::RoaringBitmap;
use segment::columns::{self, ColumnsBuffer, ColumnsMergeInput, ColumnsReader};
use segment::geo::{self, GeoBuffer, GeoMergeInput, GeoReader};
use segment::text::{self, TextBuffer, TextMergeInput, TextReader};
use segment::{Directory, Result};

use crate::file_name::FileName;

pub(crate) trait Component {
    type Buffer;
    type Reader;

    fn name(segment: u64, generation: u64) -> FileName;

    fn is_empty(buffer: &Self::Buffer) -> bool;

    /// Writes the contents of buffers and returns the length of the file.
    fn finish(
        buffers: Vec<Self::Buffer>,
        directory: &dyn Directory,
        name: &str,
        cancel: &Cancel,
    ) -> Result<u64>;

    fn open(directory: &dyn Directory, name: &str) -> Result<Self::Reader>;

    /// Merges several files into one; each comes with the documents it was built from.
    fn merge(
        parts: &[(Self::Reader, &RoaringBitmap)],
        directory: &dyn Directory,
        name: &str,
        cancel: &Cancel,
    ) -> Result<u64>;
}

/// Words of documents.
pub(crate) struct Text;
/// Values of documents.
pub(crate) struct Columns;
/// Locations of documents.
pub(crate) struct Geo;

impl Component for Text {
    type Buffer = TextBuffer;
    type Reader = TextReader;

    fn name(segment: u64, generation: u64) -> FileName {
        FileName::text(segment, generation)
    }

    fn is_empty(buffer: &TextBuffer) -> bool {
        buffer.is_empty()
    }

    fn finish(
        buffers: Vec<TextBuffer>,
        directory: &dyn Directory,
        name: &str,
        cancel: &Cancel,
    ) -> Result<u64> {
        text::finish(buffers, directory, name, cancel)
    }

    fn open(directory: &dyn Directory, name: &str) -> Result<TextReader> {
        TextReader::open(directory, name)
    }

    fn merge(
        parts: &[(TextReader, &RoaringBitmap)],
        directory: &dyn Directory,
        name: &str,
        cancel: &Cancel,
    ) -> Result<u64> {
        let inputs: Vec<TextMergeInput<'_>> =
            parts.iter().map(|(reader, live)| TextMergeInput { reader, live }).collect();
        text::merge(&inputs, directory, name, cancel)
    }
}

impl Component for Columns {
    type Buffer = ColumnsBuffer;
    type Reader = ColumnsReader;

    fn name(segment: u64, generation: u64) -> FileName {
        FileName::columns(segment, generation)
    }

    fn is_empty(buffer: &ColumnsBuffer) -> bool {
        buffer.is_empty()
    }

    fn finish(
        buffers: Vec<ColumnsBuffer>,
        directory: &dyn Directory,
        name: &str,
        _: &Cancel,
    ) -> Result<u64> {
        columns::finish(buffers, &::text::fold, directory, name)
    }

    fn open(directory: &dyn Directory, name: &str) -> Result<ColumnsReader> {
        ColumnsReader::open(directory, name)
    }

    fn merge(
        parts: &[(ColumnsReader, &RoaringBitmap)],
        directory: &dyn Directory,
        name: &str,
        cancel: &Cancel,
    ) -> Result<u64> {
        let inputs: Vec<ColumnsMergeInput<'_>> = parts
            .iter()
            .map(|(part, live)| ColumnsMergeInput { readers: vec![part], live })
            .collect();
        columns::merge(&inputs, &|_| true, &::text::fold, directory, name, cancel)
    }
}

impl Component for Geo {
    type Buffer = GeoBuffer;
    type Reader = GeoReader;

    fn name(segment: u64, generation: u64) -> FileName {
        FileName::geo(segment, generation)
    }

    fn is_empty(buffer: &GeoBuffer) -> bool {
        buffer.is_empty()
    }

    fn finish(
        buffers: Vec<GeoBuffer>,
        directory: &dyn Directory,
        name: &str,
        _: &Cancel,
    ) -> Result<u64> {
        geo::finish(buffers, directory, name)
    }

    fn open(directory: &dyn Directory, name: &str) -> Result<GeoReader> {
        GeoReader::open(directory, name)
    }

    fn merge(
        parts: &[(GeoReader, &RoaringBitmap)],
        directory: &dyn Directory,
        name: &str,
        cancel: &Cancel,
    ) -> Result<u64> {
        let inputs: Vec<GeoMergeInput<'_>> =
            parts.iter().map(|(reader, live)| GeoMergeInput { reader, live }).collect();
        geo::merge(&inputs, directory, name, cancel)
    }
}
