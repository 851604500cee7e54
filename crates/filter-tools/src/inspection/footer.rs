//! Bounds the memory and stack that a Parquet file's footer can demand of its reader.
//!
//! The crate `parquet` follows the schema recursively, and allocates memory for as many children as a group claims: a
//! few hundred bytes overflow the stack, and ten demand 16 GiB. It also reads fields by number without checking their
//! types. So it gets only schemas that were read here, and only the fields that are copied.
//!
//! Source: Thrift, `doc/specs/thrift-compact-protocol.md`; the Parquet format, `parquet.thrift` (`FileMetaData`).

/// The deepest schema that is accepted: more than any schema needs, and little enough for the stack of a thread.
const MAX_DEPTH: usize = 100;

/// Field types of Thrift's compact protocol.
const I32: u8 = 5;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// The last field of a schema element that is copied. Later fields are logical types, which filters do not use.
const LAST_COPIED: u8 = 9;
/// The field with the number of children.
const CHILDREN: u8 = 5;

/// Returns a footer whose groups are nested no deeper than [`MAX_DEPTH`] and claim no more children than there are
/// elements.
pub(super) fn bounded(footer: &[u8]) -> Result<Vec<u8>, String> {
    let copied = copy(footer);
    copied.ok_or_else(|| {
        format!("the footer is damaged: its schema must be a tree of at most {MAX_DEPTH} levels")
    })
}

fn copy(footer: &[u8]) -> Option<Vec<u8>> {
    let mut input = Input(footer);
    // Every writer begins with the version, then the schema, a list of structures.
    if input.byte()? != 0x10 | I32 {
        return None;
    }
    input.varint()?;
    if input.byte()? != 0x10 | LIST {
        return None;
    }
    let list = input.byte()?;
    let elements = match (list >> 4, list & 0xf) {
        (15, STRUCT) => input.varint()?,
        (elements, STRUCT) => elements.into(),
        _ => return None,
    };
    let mut bounded = footer[..footer.len() - input.0.len()].to_vec();
    // The number of children that each of the open groups still lacks.
    let mut open: Vec<u64> = Vec::new();
    for _ in 0..elements {
        let start = input.0;
        let (copied, children) = input.element()?;
        bounded.extend(&start[..copied]);
        bounded.push(0);
        if let Some(lacking) = open.last_mut() {
            *lacking -= 1;
        }
        open.push(children);
        if children > elements || open.len() > MAX_DEPTH {
            return None;
        }
        while open.pop_if(|lacking| *lacking == 0).is_some() {}
    }
    bounded.extend(input.0);
    Some(bounded)
}

/// The bytes that have not been read yet.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Reads a number of seven bits per byte, lowest first. The top bit of a byte is set if another byte follows.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a schema element. Returns the number of its bytes to copy and the number of its children.
    fn element(&mut self) -> Option<(usize, u64)> {
        let (whole, mut copied, mut children, mut field) = (self.0.len(), None, 0, 0_u8);
        loop {
            let before = whole - self.0.len();
            let head = self.byte()?;
            if head == 0 {
                return Some((copied.unwrap_or(before), children));
            }
            // Fields are in ascending order.
            let further = Some(head >> 4).filter(|&further| further > 0)?;
            field = field.checked_add(further)?;
            match (field, head & 0xf) {
                (CHILDREN, I32) => {
                    // Zigzag encoding: twice the number, with the sign in the lowest bit.
                    let number = self.varint()?;
                    children = Some(number / 2).filter(|_| number % 2 == 0)?;
                }
                (4, BINARY) | (1..4 | 6..=LAST_COPIED, I32) => self.skip(head & 0xf, 1)?,
                (..=LAST_COPIED, _) => return None,
                (_, kind) => {
                    copied.get_or_insert(before);
                    self.skip(kind, 8)?;
                }
            }
        }
    }

    /// Skips the value of a field, of any type that occurs in logical types.
    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // True and false have no bytes.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            BINARY => {
                let len = usize::try_from(self.varint()?).ok()?;
                self.0 = self.0.get(len..)?;
            }
            STRUCT => loop {
                match self.byte()? {
                    0 => break,
                    head => {
                        if head >> 4 == 0 {
                            self.varint()?;
                        }
                        self.skip(head & 0xf, depth)?;
                    }
                }
            },
            _ => return None,
        }
        Some(())
    }
}

/// Encodes a number for [`Input::varint`].
#[cfg(test)]
pub(super) fn varint(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push((number & 0x7f | 0x80) as u8);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[cfg(test)]
mod tests {
    use parquet::file::metadata::ParquetMetaDataReader;

    use super::*;

    const VERSION: [u8; 2] = [0x15, 2];

    /// Encodes a required group `a`.
    fn group(children: u32) -> Vec<u8> {
        [&[0x35, 0, 0x18, 1, b'a', 0x15][..], &varint(2 * children), &[0]].concat()
    }

    /// An optional column `x` of logical type string.
    const LEAF: &[u8] = &[0x15, 12, 0x25, 0, 0x18, 1, b'x', 0x6c, 0x1c, 0, 0, 0];

    /// Encodes a footer without rows and row groups.
    fn footer(elements: &[Vec<u8>]) -> Vec<u8> {
        let list = [&[0x19, 0xf0 | STRUCT][..], &varint(elements.len() as u32)].concat();
        [&VERSION[..], &list, &elements.concat(), &[0x16, 0, 0x19, 0x0c, 0]].concat()
    }

    fn nested(depth: usize) -> Vec<u8> {
        let mut elements = vec![group(1); depth - 1];
        elements.push(LEAF.to_vec());
        footer(&elements)
    }

    #[test]
    fn deep_schemas() {
        let decoded = ParquetMetaDataReader::decode_metadata(&bounded(&nested(MAX_DEPTH)).unwrap()).unwrap();
        assert_eq!(decoded.file_metadata().schema_descr().num_columns(), 1);
        for depth in [MAX_DEPTH + 1, 100_000] {
            assert!(
                bounded(&nested(depth))
                    .unwrap_err()
                    .contains("at most 100 levels")
            );
        }
    }

    #[test]
    fn groups_that_claim_more_children_than_there_are() {
        let of = |children| bounded(&footer(&[group(children), LEAF.to_vec(), LEAF.to_vec()]));
        assert!(of(2).is_ok());
        assert!(of(4).is_err());
        assert!(of(i32::MAX.unsigned_abs()).is_err());
    }

    /// The crate would read the text's length as the version, and its contents as a schema.
    #[test]
    fn fields_of_other_types() {
        let inner = footer(&[group(i32::MAX.unsigned_abs())]);
        let hidden = [
            &[0x18][..],
            &varint(inner.len() as u32 - 2),
            &inner[2..],
            &nested(2)[2..],
        ]
        .concat();
        assert!(ParquetMetaDataReader::decode_metadata(&hidden).is_err());
        assert!(bounded(&hidden).is_err());
        let name_as_number = LEAF.iter().map(|&byte| if byte == 0x18 { 0x15 } else { byte });
        assert!(bounded(&footer(&[group(1), name_as_number.collect()])).is_err());
    }
}
