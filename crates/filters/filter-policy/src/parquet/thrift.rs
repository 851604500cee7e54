//! Fields in Thrift's compact encoding, as Parquet's headers and footers have them.
//!
//! Every element of a list or map takes at least one byte, so that time is bounded by the number of bytes. Nothing is
//! allocated.
//!
//! Source: Thrift, `doc/specs/thrift-compact-protocol.md`.

/// The type of 32-bit integers.
pub const I32: u8 = 5;
/// The type of 64-bit integers.
pub const I64: u8 = 6;
/// The type of bytes and text.
pub const BINARY: u8 = 8;
/// The type of lists.
pub const LIST: u8 = 9;
/// The type of structures.
pub const STRUCT: u8 = 12;

/// Nesting of the fields that are skipped. A footer of Parquet has four levels.
const MAX_DEPTH: u8 = 32;

/// The result of a read: its value, or a description of the damage.
pub type Read<T> = Result<T, &'static str>;

/// The bytes that have not been read yet.
///
/// ```
/// use filter_policy::parquet::thrift::{I32, Input};
///
/// // Field 1 is the number 32, field 3 the number 5.
/// let mut found = Vec::new();
/// Input(&[0x15, 64, 0x25, 10, 0]).structure(|input, (field, kind)| {
///     assert_eq!(kind, I32);
///     found.push((field, input.number()?));
///     Ok(())
/// })?;
/// assert_eq!(found, [(1, 32), (3, 5)]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Input<'a>(
    /// The bytes that are not read yet.
    pub &'a [u8],
);

impl<'a> Input<'a> {
    /// Reads a structure: calls `read` for each field with its number and type. It must read or skip the field's value.
    ///
    /// # Errors
    ///
    /// The damage, or the error of `read`.
    pub fn structure(&mut self, mut read: impl FnMut(&mut Self, (u64, u8)) -> Read<()>) -> Read<()> {
        let mut number = 0_u64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            number = match head >> 4 {
                0 => {
                    u64::try_from(self.number()?).map_err(|_| "the number of a field must not be negative")?
                }
                further => number.saturating_add(further.into()),
            };
            read(self, (number, head & 0xf))?;
        }
    }

    /// Reads the head of a list with elements of this type, and returns their number.
    ///
    /// # Errors
    ///
    /// The damage, or that the elements are of another type.
    pub fn list_of(&mut self, kind: u8) -> Read<u64> {
        match self.list()? {
            (_, 0) => Ok(0),
            (found, elements) if found == kind => Ok(elements),
            _ => Err("a list has elements of another type than the format says"),
        }
    }

    /// Reads the head of a list: the type of the elements and their number.
    fn list(&mut self) -> Read<(u8, u64)> {
        let head = self.byte()?;
        let elements = match head >> 4 {
            15 => self.varint()?,
            few => few.into(),
        };
        Ok((head & 0xf, self.are_there(elements)?))
    }

    fn are_there(&self, elements: u64) -> Read<u64> {
        match elements <= self.0.len() as u64 {
            true => Ok(elements),
            false => Err("a list must not have more elements than bytes are left"),
        }
    }

    /// Skips the value of a field of this type.
    ///
    /// # Errors
    ///
    /// The damage; or that fields are nested more than 32 levels deep.
    pub fn skip(&mut self, kind: u8) -> Read<()> {
        self.skip_within(kind, MAX_DEPTH)
    }

    /// Skips the value of a field of this type as [`skip`](Self::skip) does, with fields that are nested at most so many levels
    /// deep.
    ///
    /// # Errors
    ///
    /// The damage.
    pub fn skip_within(&mut self, kind: u8, depth: u8) -> Read<()> {
        let depth = depth
            .checked_sub(1)
            .ok_or("fields must not be nested more than 32 levels deep")?;
        // In a list or map, true and false take a byte.
        let element = |input: &mut Self, kind| input.skip_within(if kind <= 2 { 3 } else { kind }, depth);
        match kind {
            // The type of a field is also its value, true or false.
            1 | 2 => Ok(()),
            3 => self.byte().map(drop),
            4 | I32 | I64 => self.varint().map(drop),
            7 => self.bytes(8).map(drop),
            BINARY => self.binary().map(drop),
            LIST | 10 => {
                let (kind, elements) = self.list()?;
                (0..elements).try_for_each(|_| element(self, kind))
            }
            11 => {
                let pairs = self.varint()?;
                let kinds = if self.are_there(pairs)? == 0 {
                    0
                } else {
                    self.byte()?
                };
                (0..pairs).try_for_each(|_| {
                    element(self, kinds >> 4)?;
                    element(self, kinds & 0xf)
                })
            }
            STRUCT => self.structure(|input, (_, kind)| input.skip_within(kind, depth)),
            _ => Err("a field must have a type that Parquet uses"),
        }
    }

    fn byte(&mut self) -> Read<u8> {
        let (first, rest) = self.0.split_first().ok_or("it must not end within a field")?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads this many bytes.
    ///
    /// # Errors
    ///
    /// The damage.
    pub fn bytes(&mut self, len: u64) -> Read<&'a [u8]> {
        let split = usize::try_from(len)
            .ok()
            .and_then(|len| self.0.split_at_checked(len));
        let (bytes, rest) = split.ok_or("it must not end within a field")?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads bytes or text.
    ///
    /// # Errors
    ///
    /// The damage.
    pub fn binary(&mut self) -> Read<&'a [u8]> {
        let len = self.varint()?;
        self.bytes(len)
    }

    /// Reads a number of seven bits per byte, the lowest first. The highest bit of a byte says that another one follows.
    ///
    /// # Errors
    ///
    /// The damage.
    pub fn varint(&mut self) -> Read<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number must have at most 10 bytes")
    }

    /// Reads a number with a sign, which is the lowest bit.
    ///
    /// # Errors
    ///
    /// The damage.
    pub fn number(&mut self) -> Read<i64> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}
