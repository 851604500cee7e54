//! The protocol of the pipes: big-endian numbers, as in Java's `DataInputStream` and `DataOutputStream`.

use std::io::{self, BufReader, Read as _};
use std::process::ChildStdout;

/// A request: one byte for its kind, then its operands.
#[derive(Debug, Clone)]
pub struct Request(Vec<u8>);

impl Request {
    /// Starts a request.
    pub fn new(kind: u8) -> Self {
        Self(vec![kind])
    }

    /// Appends the number of bytes as an `int`, and the bytes.
    ///
    /// # Panics
    ///
    /// If there are more bytes than an `int` can count.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let length = i32::try_from(bytes.len()).expect("an array of Java's");
        let mut request = self.i32(length);
        request.0.extend(bytes);
        request
    }

    /// Returns the bytes to send.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The answer to a request, read value by value.
#[derive(Debug)]
pub struct Reply(pub(crate) BufReader<ChildStdout>);

impl Reply {
    /// Reads a `boolean`.
    ///
    /// # Errors
    ///
    /// If the child process has ended.
    pub fn bool(&mut self) -> io::Result<bool> {
        self.u8().map(|byte| byte != 0)
    }

    /// Reads an `int` and as many bytes as it says.
    ///
    /// # Errors
    ///
    /// See [`bool`](Self::bool).
    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = u64::try_from(self.i32()?).unwrap_or(0);
        let mut bytes = Vec::new();
        (&mut self.0).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length {
            Ok(bytes)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

/// Declares the methods that append and read these types, big-endian.
macro_rules! numbers {
    ($($java:literal $type:ident)*) => {
        impl Request {$(
            #[doc = concat!("Appends a `", $java, "`.")]
            #[must_use]
            pub fn $type(mut self, value: $type) -> Self {
                self.0.extend(value.to_be_bytes());
                self
            }
        )*}

        impl Reply {$(
            #[doc = concat!("Reads a `", $java, "`.\n\n# Errors\n\nSee [`bool`](Self::bool).")]
            pub fn $type(&mut self) -> io::Result<$type> {
                let mut bytes = [0; size_of::<$type>()];
                self.0.read_exact(&mut bytes)?;
                Ok($type::from_be_bytes(bytes))
            }
        )*}
    };
}

numbers! { "byte" u8 "int" i32 "long" i64 "double" f64 }
