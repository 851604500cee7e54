//! Filters as lines of text: a key, a tab, and the stream in base64.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use base64::prelude::BASE64_STANDARD;
use base64::read::DecoderReader;
use base64::write::EncoderWriter;
use guava_bloom::{BloomFilter, Utf8};

use crate::support::Failure;
use crate::{must_end, unwritten};

/// The key of every line: equal keys come to one reducer.
const KEY: &str = "filter";

/// The longest key that a line may have, so that a line without end does not fill the memory.
const LONGEST_KEY: u64 = 4096;

/// Writes a filter as a line.
pub(crate) fn write_line(
    mut out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    write!(out, "{KEY}\t").map_err(unwritten)?;
    let mut encoder = EncoderWriter::new(&mut out, &BASE64_STANDARD);
    write(&mut encoder)?;
    encoder.finish().map_err(unwritten)?;
    drop(encoder);
    writeln!(out).map_err(unwritten)
}

/// Reads the next line, of which the filter is the last field that is not empty: a line need not have a key, and engines
/// take such a line for a key and write a tab behind it. `Ok(None)` of an empty line. Memory is taken as bytes arrive.
pub(crate) fn read_line(lines: &mut impl BufRead) -> Result<Option<BloomFilter<Utf8>>, String> {
    let failed = |error: io::Error| error.to_string();
    let mut first;
    loop {
        first = Vec::new();
        (Field(lines).take(LONGEST_KEY))
            .read_to_end(&mut first)
            .map_err(failed)?;
        let is_field = skip_tabs(lines).map_err(failed)?;
        let at_end = matches!(peek(lines).map_err(failed)?, None | Some(b'\r' | b'\n'));
        // Without a tab behind them, these bytes are the last field, or the beginning of a long one.
        if at_end || !is_field {
            break;
        }
    }
    let filter = if first.is_empty() {
        None
    } else {
        let mut decoder = DecoderReader::new(first.chain(Field(lines)), &BASE64_STANDARD);
        let filter = BloomFilter::read_from(&mut decoder, Utf8).map_err(|error| error.to_string())?;
        must_end(decoder)?;
        Some(filter)
    };
    skip_tabs(lines).map_err(failed)?;
    let mut end = Vec::new();
    (lines.take(2).read_until(b'\n', &mut end)).map_err(failed)?;
    match &*end {
        b"" | b"\n" | b"\r\n" | b"\r" => Ok(filter),
        _ => Err("more fields follow the filter".to_owned()),
    }
}

/// The next byte, which stays in the reader.
pub(crate) fn peek(reader: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        match reader.fill_buf() {
            Ok(bytes) => return Ok(bytes.first().copied()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether tabs came next; they are left behind.
fn skip_tabs(reader: &mut impl BufRead) -> io::Result<bool> {
    let mut some = false;
    while peek(reader)? == Some(b'\t') {
        reader.consume(1);
        some = true;
    }
    Ok(some)
}

/// What is left of a field, up to the tab or line end behind it.
struct Field<'a, R>(&'a mut R);

impl<R: BufRead> Read for Field<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.fill_buf()?;
        let bytes = &bytes[..bytes.len().min(buffer.len())];
        let end = bytes
            .iter()
            .position(|byte| matches!(byte, b'\t' | b'\r' | b'\n'));
        let read = end.unwrap_or(bytes.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        self.0.consume(read);
        Ok(read)
    }
}
