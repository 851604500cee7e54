//! `BITFIELD_RO` with many operations on single bits: the command behind nearly all queries.
//!
//! The client's [`Cmd`] copies every argument twice and measures it again. Here only the offsets vary, so the rest is a
//! template.

use redis::{Cmd, cmd};

/// The command's name. It only reads, so that replicas take it.
const NAME: &str = "BITFIELD_RO";

/// The number of arguments per bit.
const ARGUMENTS: usize = 3;

/// A command that gets bits of a string.
#[derive(Debug, Clone)]
pub(crate) struct BitField {
    pub(crate) key: Vec<u8>,
    pub(crate) offsets: Vec<u64>,
}

impl BitField {
    /// Converts to the client's command type.
    pub(crate) fn to_cmd(&self) -> Cmd {
        /// The bytes of one bit's arguments: `GET u1 4294967295`.
        const BYTES: usize = 16;
        let bits = self.offsets.len();
        let mut command =
            Cmd::with_capacity(2 + ARGUMENTS * bits, NAME.len() + self.key.len() + BYTES * bits);
        command.arg(NAME).arg(self.key.as_slice());
        for offset in &self.offsets {
            command.arg("GET").arg("u1").arg(offset);
        }
        command
    }

    /// Appends the command in RESP: the number of arguments, then each argument preceded by its length.
    pub(crate) fn write_packed(&self, bytes: &mut Vec<u8>) {
        const BEFORE: &[u8] = b"\r\n$3\r\nGET\r\n$2\r\nu1\r\n$";
        let mut start = cmd(NAME);
        start.arg(self.key.as_slice());
        let start = start.get_packed_command();
        // Drop the number of arguments and the last line end, which are written below.
        let start = start.strip_prefix(b"*2").unwrap_or(&start);
        let start = start.strip_suffix(b"\r\n").unwrap_or(start);

        let (mut digits, mut length) = (itoa::Buffer::new(), itoa::Buffer::new());
        bytes.push(b'*');
        bytes.extend_from_slice(digits.format(2 + ARGUMENTS * self.offsets.len()).as_bytes());
        bytes.extend_from_slice(start);
        for &offset in &self.offsets {
            bytes.extend_from_slice(BEFORE);
            let text = digits.format(offset);
            bytes.extend_from_slice(length.format(text.len()).as_bytes());
            bytes.extend_from_slice(b"\r\n");
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_what_the_client_would_send() {
        for key in [&b""[..], b"bf:{user}:7", b"\r\n$", &[b'k'; 1_000]] {
            for bits in [0, 1, 7, 64] {
                let mut offsets: Vec<u64> = (0..bits).map(|bit| 10_u64.pow(bit as u32 % 20)).collect();
                offsets.extend([0, 9, 4_294_967_295, u64::MAX]);
                let key = key.to_vec();
                let command = BitField { key, offsets };
                let mut bytes = vec![b'!'];
                command.write_packed(&mut bytes);
                let expected = command.to_cmd().get_packed_command();
                assert_eq!(bytes.split_first(), Some((&b'!', &expected[..])));
            }
        }
    }
}
