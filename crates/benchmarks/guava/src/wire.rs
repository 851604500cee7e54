//! What goes through the pipes: numbers as Java's `DataInputStream` and `DataOutputStream` have them, big-endian.

use std::io::{self, BufReader, Read as _};
use std::process::ChildStdout;

/// A request: one byte that says what is wanted, then its operands.
#[derive(Debug, Clone)]
pub struct Request(Vec<u8>);

impl Request {
    /// Starts a request of this kind.
    pub fn new(kind: u8) -> Self {
        Self(vec![kind])
    }

    /// Appends a `byte`.
    #[must_use]
    pub fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    /// Appends an `int`.
    #[must_use]
    pub fn i32(mut self, value: i32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    /// Appends a `long`.
    #[must_use]
    pub fn i64(mut self, value: i64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    /// Appends a `double`.
    #[must_use]
    pub fn f64(mut self, value: f64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    /// Appends the number of bytes as an `int`, and the bytes.
    ///
    /// # Panics
    ///
    /// With more bytes than an `int` can count.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let length = i32::try_from(bytes.len()).expect("an array of Java's");
        let mut request = self.i32(length);
        request.0.extend(bytes);
        request
    }

    /// What is sent.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The answer to a request, read piece by piece.
#[derive(Debug)]
pub struct Reply(pub(crate) BufReader<ChildStdout>);

impl Reply {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// A `boolean`.
    ///
    /// # Errors
    ///
    /// When the child process has ended; so with all others.
    pub fn bool(&mut self) -> io::Result<bool> {
        self.array().map(|[byte]| byte != 0)
    }

    /// An `int`.
    ///
    /// # Errors
    ///
    /// See [`bool`](Self::bool).
    pub fn i32(&mut self) -> io::Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// A `long`.
    ///
    /// # Errors
    ///
    /// See [`bool`](Self::bool).
    pub fn i64(&mut self) -> io::Result<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// A `double`.
    ///
    /// # Errors
    ///
    /// See [`bool`](Self::bool).
    pub fn f64(&mut self) -> io::Result<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// As many bytes as an `int` before them says.
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
