//! The keys of a source, one after the other.

use std::fmt::Display;
use std::io::{BufRead as _, Read};
use std::path::Path;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use terminal::failure::Failure;
use terminal::number::counted;
use terminal::progress::Progress;

use crate::contents::{self, Contents};
use crate::form::empty_lines;
use crate::signature::{MARK, not_text, other_form};
use crate::{Batch, Delimiter, KeyForm, KeyKind};

/// The most bytes of the names of columns.
const MAX_NAMES: usize = 1 << 20;

/// The keys of a source in their order. Nothing comes after a final end of a line or key.
///
/// ```
/// use key_input::{KeyForm, Keys};
/// use terminal::progress::Silent;
///
/// let form = KeyForm { column: Some("id".to_owned()), ..KeyForm::default() };
/// let rows = &b"name,id\none,\"1,5\"\r\ntwo,2"[..];
/// let mut keys = Keys::of("keys.csv", rows, &form, 1 << 20, &Silent)?;
/// assert_eq!(keys.next_key()?, Some(&b"1,5"[..]));
/// assert_eq!(keys.next_key()?, Some(&b"2"[..]));
/// assert_eq!(keys.next_key()?, None);
/// # Ok::<(), terminal::failure::Failure>(())
/// ```
pub struct Keys<'a> {
    name: String,
    progress: &'a dyn Progress,
    contents: Contents<'a>,
    kind: KeyKind,
    end: u8,
    columns: Option<Columns>,
    /// The number of bytes of the buffer that the last line took.
    taken: usize,
    /// A field, or a line that is longer than the buffer's rest.
    long: Vec<u8>,
    /// The bytes of the last key, if they are not in the contents.
    bytes: Vec<u8>,
    limit: u64,
    /// The number of the line in which the last key begins.
    number: u64,
    /// The number of line feeds in the rows read.
    ended: u64,
    carriage_returns: u64,
    /// The number of carriage returns in a first line that no line feed ends.
    unended: usize,
    warning: Option<&'static str>,
}

/// The rows of CSV or TSV.
struct Columns {
    parser: Reader,
    /// Finds out whether the next row is in the buffer as a whole. (A clone of the other would not know its classes of bytes.)
    ahead: Reader,
    wanted: String,
    /// The place of the wanted column, once the names are read.
    place: Option<usize>,
    /// Says which delimiter would split the first row, if it has one column alone; else empty.
    unsplit: String,
}

impl<'a> Keys<'a> {
    /// Opens a file; `-` is standard input. Keys may have up to `limit` bytes. Reports what is remarkable to `progress`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub fn open(
        path: &Path,
        form: &KeyForm,
        limit: u64,
        progress: &'a dyn Progress,
    ) -> Result<Self, Failure> {
        let contents = contents::open(path, form, progress)?;
        Self::in_contents(contents::name(path), contents, form, limit, progress)
    }

    /// Reads keys from `source`, which has this name in messages, as [`open`](Self::open) does.
    ///
    /// # Errors
    ///
    /// Returns an error if the start cannot be read.
    pub fn of(
        name: &str,
        source: impl Read + 'a,
        form: &KeyForm,
        limit: u64,
        progress: &'a dyn Progress,
    ) -> Result<Self, Failure> {
        let contents = contents::of(name, source, form, progress)?;
        Self::in_contents(name.to_owned(), contents, form, limit, progress)
    }

    fn in_contents(
        name: String,
        contents: Contents<'a>,
        form: &KeyForm,
        limit: u64,
        progress: &'a dyn Progress,
    ) -> Result<Self, Failure> {
        let mut keys = Self {
            name,
            progress,
            contents,
            kind: form.kind.unwrap_or(KeyKind::Line),
            end: if form.null { 0 } else { b'\n' },
            columns: None,
            taken: 0,
            long: Vec::new(),
            bytes: Vec::new(),
            limit,
            number: 0,
            ended: 0,
            carriage_returns: 0,
            unended: 0,
            warning: None,
        };
        keys.fill()?;
        let start = keys.contents.buffer();
        if let Some(reason) = other_form(start) {
            return Err(keys.refused(reason));
        }
        let is_marked = start.starts_with(MARK);
        let row = form.first(start).unwrap_or(start);
        if let Some(wanted) = &form.column {
            let row = row.strip_prefix(MARK).unwrap_or(row);
            keys.columns = Some(keys.columns(wanted, form.delimiter, row)?);
            keys.contents.consume(if is_marked { MARK.len() } else { 0 });
        } else if is_marked {
            let warning = "its first key begins with a byte order mark of three bytes; remove it";
            keys.warning = Some(warning);
            progress.note(&format!("{}: {warning}", keys.name));
        }
        Ok(keys)
    }

    /// Returns the name of the source in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what is remarkable about the keys, and may be a mistake.
    pub fn warning(&self) -> Option<&'static str> {
        self.warning
    }

    /// Returns the next key. At the end of the source, reports how many carriage returns were dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the source cannot be read, a key is too long or not of the kind, or `progress` requests a
    /// stop.
    pub fn next_key(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.contents.consume(std::mem::take(&mut self.taken));
        self.long.clear();
        let is_there = if self.columns.is_some() {
            self.read_field()?
        } else {
            self.read_line()?
        };
        if !is_there {
            self.report();
            return Ok(None);
        }
        let mut line = match self.taken {
            0 => self.long.as_slice(),
            taken => &self.contents.buffer()[..taken],
        };
        if self.columns.is_none()
            && let Some(ended) = line.strip_suffix(&[self.end])
        {
            let without = ended.strip_suffix(b"\r").filter(|_| self.end == b'\n');
            self.carriage_returns += u64::from(without.is_some());
            line = without.unwrap_or(ended);
        } else if self.number == 1 && self.end == b'\n' && self.columns.is_none() {
            self.unended = memchr::memchr_iter(b'\r', line).count();
        }
        match self.kind.key(line, &mut self.bytes) {
            Ok(key) => Ok(Some(key)),
            Err(reason) => Err(wrong(&self.name, self.number, &reason)),
        }
    }

    /// Replaces the batch by the next keys: at most `most`, and at least one unless the source has ended. Those after the
    /// first are in the buffer, so that none waits for more input, and their memory is bounded.
    /// Fails as [`next_key`](Self::next_key); the batch then has the keys before.
    pub fn next_batch(&mut self, most: usize, batch: &mut Vec<Vec<u8>>) -> Result<(), Failure> {
        batch.clear();
        while let Some(key) = self.next_key()? {
            batch.push(key.to_vec());
            if batch.len() == most || !self.has_more() {
                break;
            }
        }
        Ok(())
    }

    /// Adds the keys that follow the last one while they are lines in the buffer and the batch is not full. Adds none in
    /// another form, and never waits: [`next_key`](Self::next_key) returns the key after them.
    ///
    /// ```
    /// use key_input::{Batch, KeyForm, Keys};
    /// use terminal::progress::Silent;
    ///
    /// let lines = &b"one\ntwo\nthree"[..];
    /// let mut keys = Keys::of("keys.txt", lines, &KeyForm::default(), 1 << 20, &Silent)?;
    /// let mut batch = Batch::new(1 << 16);
    /// while let Some(key) = keys.next_key()? {
    ///     batch.push(key);
    ///     keys.add_lines(&mut batch);
    /// }
    /// assert!(batch.iter().eq([&b"one"[..], b"two", b"three"]));
    /// # Ok::<(), terminal::failure::Failure>(())
    /// ```
    pub fn add_lines(&mut self, batch: &mut Batch) {
        if self.columns.is_some() || self.kind != KeyKind::Line || batch.is_full() {
            return;
        }
        let lines = self.contents.buffer().get(self.taken..).unwrap_or_default();
        let (start, before) = (batch.bytes.len(), batch.len());
        let mut lines = &lines[..lines.len().min(batch.size.saturating_sub(start))];
        // A line with a zero byte is left to `next_key`, which refuses it.
        if self.end != 0
            && let Some(zero) = memchr::memchr(0, lines)
        {
            lines = &lines[..zero];
        }
        let mut taken = 0;
        for end in memchr::arch::all::memchr::One::new(self.end).iter(lines) {
            let has_return = self.end == b'\n' && lines[taken..end].ends_with(b"\r");
            self.carriage_returns += u64::from(has_return);
            batch
                .places
                .push([start + taken, start + end - usize::from(has_return)]);
            taken = end + 1;
            if start + taken + size_of_val(&batch.places[..]) >= batch.size {
                break;
            }
        }
        batch.bytes.extend_from_slice(&lines[..taken]);
        self.number += (batch.len() - before) as u64;
        self.taken += taken;
    }

    /// Returns true if the next key is in the buffer as a whole.
    fn has_more(&mut self) -> bool {
        let mut rest = self.contents.buffer().get(self.taken..).unwrap_or_default();
        let Some(Columns { ahead, .. }) = &mut self.columns else {
            return memchr::memchr(self.end, rest).is_some();
        };
        ahead.reset();
        rest = &rest[empty_lines(rest)..];
        let mut output = [0; 512];
        while !rest.is_empty() {
            let (result, read, _) = ahead.read_field(rest, &mut output);
            if matches!(result, ReadFieldResult::Field { record_end: true }) {
                return true;
            }
            rest = &rest[read..];
        }
        false
    }

    /// Finds a line: in the buffer, or else copied. Returns false at the end.
    fn read_line(&mut self) -> Result<bool, Failure> {
        self.number += 1;
        loop {
            let end = self.end;
            let buffer = self.fill()?;
            let found = memchr::memchr2(end, 0, buffer);
            if found.is_some_and(|at| buffer[at] != end) {
                let line = self.long.iter().chain(self.contents.buffer());
                return Err(self.not_text(line));
            }
            let read = found.map_or(buffer.len(), |at| at + 1);
            if read == 0 {
                return Ok(!self.long.is_empty());
            }
            if found.is_some() && self.long.is_empty() {
                self.taken = read;
                return Ok(true);
            }
            // The end may take two.
            let checked = self.check_length((self.long.len() + read).saturating_sub(2));
            checked.map_err(|reason| wrong(&self.name, self.number, &reason))?;
            self.long.extend_from_slice(&self.contents.buffer()[..read]);
            self.contents.consume(read);
            if found.is_some() {
                return Ok(true);
            }
        }
    }

    /// Copies the field of the next row in the wanted column. Returns false at the end.
    fn read_field(&mut self) -> Result<bool, Failure> {
        let Some(mut columns) = self.columns.take() else {
            return Ok(false);
        };
        if columns.place.is_none() {
            let (mut names, mut bytes) = (vec![Vec::new()], 0);
            self.read_row(&mut columns.parser, |_, index, part| {
                bytes += part.len() + 1;
                names.resize(index + 1, Vec::new());
                names[index].extend_from_slice(part);
                if bytes > MAX_NAMES {
                    Err("the names of columns must have at most 1 MiB".to_owned())
                } else {
                    Ok(())
                }
            })?;
            let wanted = &columns.wanted;
            let places = (0..names.len()).filter(|place| names[*place] == wanted.as_bytes());
            match places.collect::<Vec<_>>()[..] {
                [place] => columns.place = Some(place),
                [] => {
                    let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
                    let known: String = names.join(", ").chars().take(200).collect();
                    let unsplit = &columns.unsplit;
                    let reason = format!("no column is called {wanted:?}; there are {known}{unsplit}");
                    return Err(self.refused(reason));
                }
                [first, second, ..] => {
                    let [first, second] = [first + 1, second + 1];
                    let reason =
                        format!("columns {first} and {second} are both called {wanted:?}; rename one");
                    return Err(self.refused(reason));
                }
            }
        }
        let place = columns.place.unwrap_or_default();
        let count = self.read_row(&mut columns.parser, |keys, index, part| {
            if index == place {
                keys.long.extend_from_slice(part);
            }
            keys.check_length(keys.long.len())
        })?;
        let unsplit = columns.unsplit.clone();
        self.columns = Some(columns);
        match count {
            0 => Ok(false),
            _ if count > place => Ok(true),
            _ => {
                let reason = format!(
                    "must have at least {}, got {count}{unsplit}",
                    counted(place as u64 + 1, "column")
                );
                Err(wrong(&self.name, self.number, &reason))
            }
        }
    }

    /// Passes parts of the fields of the next row, with their index. Returns the number of fields, which is 0 at the end.
    fn read_row(
        &mut self,
        parser: &mut Reader,
        mut take: impl FnMut(&mut Self, usize, &[u8]) -> Result<(), String>,
    ) -> Result<usize, Failure> {
        loop {
            let empty = empty_lines(self.fill()?);
            if empty == 0 {
                break;
            }
            self.pass(empty);
        }
        self.number = self.ended + 1;
        let mut output = [0; 4096];
        let mut index = 0;
        loop {
            let input = self.fill()?;
            let is_over = input.is_empty();
            // The last row may have no end, but only an open field in quotes has a line feed.
            let input = if is_over { b"\n" } else { input };
            let (result, read, written) = parser.read_field(input, &mut output);
            if is_over && written > 0 {
                let reason = "the last field has a quote at its start, and must have one at its end";
                return Err(wrong(&self.name, self.number, reason));
            }
            if memchr::memchr(0, &input[..read]).is_some() {
                return Err(self.not_text(self.contents.buffer().iter()));
            }
            if is_over && result == ReadFieldResult::InputEmpty {
                return Ok(0);
            }
            self.pass(if is_over { 0 } else { read });
            let taken = take(self, index, &output[..written]);
            taken.map_err(|reason| wrong(&self.name, self.number, &reason))?;
            if let ReadFieldResult::Field { record_end } = result {
                index += 1;
                if record_end {
                    return Ok(index);
                }
            }
        }
    }

    /// Consumes a part of a row.
    fn pass(&mut self, length: usize) {
        self.ended += memchr::memchr_iter(b'\n', &self.contents.buffer()[..length]).count() as u64;
        self.contents.consume(length);
    }

    fn fill(&mut self) -> Result<&[u8], Failure> {
        let Self {
            name,
            progress,
            contents,
            ..
        } = self;
        contents
            .fill_buf()
            .map_err(|error| contents::failure(name, &error, *progress))
    }

    fn columns(&self, wanted: &str, given: Option<Delimiter>, row: &[u8]) -> Result<Columns, Failure> {
        let Some(delimiter) = given.or_else(|| Delimiter::of(&self.name, row)) else {
            let reason = "its first row has commas and tabs: give --delimiter comma or --delimiter tab";
            return Err(self.refused(reason));
        };
        let mut builder = ReaderBuilder::new();
        builder
            .delimiter(delimiter.byte())
            .quoting(delimiter != Delimiter::Tab);
        let unsplit = delimiter.other(row).map(|other| {
            let other = other.name();
            format!("; its first row has one column, which --delimiter {other} would split")
        });
        let names = fields(&mut builder.build(), row);
        let named = names.iter().position(|name| name == wanted.as_bytes());
        let place = match (wanted.parse::<usize>(), named) {
            (Ok(0), None) => return Err(self.refused("--column must be a name or at least 1, got 0")),
            // A first row of so many columns may have a key instead of names: to leave it out would lose the key.
            (Ok(number), named) if number > 0 && (named.is_none() || number <= names.len()) => {
                Some(number - 1)
            }
            _ => None,
        };
        if let (Some(0), None, Some(unsplit)) = (place, given, &unsplit) {
            let how = unsplit.trim_start_matches("; ");
            self.progress.note(&format!("{}: {how}", self.name));
        }
        Ok(Columns {
            parser: builder.build(),
            ahead: builder.build(),
            wanted: wanted.to_owned(),
            place,
            unsplit: unsplit.unwrap_or_default(),
        })
    }

    fn check_length(&self, length: usize) -> Result<(), String> {
        if length as u64 > self.limit {
            Err(format!("must have at most {} bytes", self.limit))
        } else {
            Ok(())
        }
    }

    /// Returns the failure for the source as a whole.
    fn refused(&self, reason: impl Display) -> Failure {
        Failure::input(format_args!("{}: {reason}", self.name))
    }

    /// Returns the failure for a zero byte in a line or field that begins with these bytes.
    fn not_text<'b>(&self, start: impl Iterator<Item = &'b u8>) -> Failure {
        let start: Vec<u8> = start.take(64).copied().collect();
        wrong(&self.name, self.number, &not_text(&start))
    }

    fn report(&mut self) {
        if self.columns.is_none() && Delimiter::of_name(&self.name).is_some() {
            let name = &self.name;
            self.progress.note(&format!(
                "{name}: each line is a key; --column takes the keys of one column"
            ));
        }
        if self.number == 2 && self.unended > 0 {
            self.progress.note(&format!(
                "{}: one key, which has {}: lines must end with LF or CR LF; `tr '\\r' '\\n' < FILE` makes them of lines that \
                 end with a carriage return alone",
                self.name,
                counted(self.unended as u64, "carriage return")
            ));
        }
        let (ends, belong) = match std::mem::take(&mut self.carriage_returns) {
            0 => return,
            1 => ("1 carriage return before a line feed".to_owned(), "belongs"),
            many => (
                format!("{} before line feeds", counted(many, "carriage return")),
                "belong",
            ),
        };
        self.progress
            .note(&format!("{}: {ends} {belong} to no key", self.name));
    }
}

/// Returns the fields of a row.
fn fields(parser: &mut Reader, row: &[u8]) -> Vec<Vec<u8>> {
    let (row, mut output) = ([row, b"\n"].concat(), vec![0; row.len() + 1]);
    let (mut rest, mut fields) = (&row[..], Vec::new());
    while let (ReadFieldResult::Field { .. }, read, written) = parser.read_field(rest, &mut output) {
        fields.push(output[..written].to_vec());
        rest = &rest[read..];
    }
    fields
}

/// Returns the failure for the line of this number, in which a key begins.
fn wrong(name: &str, number: u64, reason: &str) -> Failure {
    Failure::input(format_args!("{name}, line {number}: {reason}"))
}
