//! A line of the list of kinds, which the file of a kind fills in.

use crate::backend::Backend;
use crate::hash::Function;

/// The stream of another program, in which a kind is stored.
pub(crate) struct Stream {
    /// The name of the stream, and of the function that reads it.
    pub(crate) text: &'static str,
    /// Returns true if a stream of this length may begin so, of which a few bytes are given.
    pub(crate) may_begin: fn(&[u8], Option<u64>) -> bool,
    /// Returns the seed of a stream that begins so, and whether it is certain that it is one. The length is that of all bytes,
    /// and the last argument true in an envelope.
    pub(crate) recognise: Recognise,
}

type Recognise = fn(&[u8], u64, bool) -> Option<(i32, bool)>;

/// A line of the list.
pub(crate) struct Kind<B: Backend> {
    pub(crate) names: &'static [&'static str],
    pub(crate) stream: Option<Stream>,
    /// Set if the envelope is read.
    pub(crate) reads_envelope: bool,
    /// Set if the seed of the hash can be chosen.
    pub(crate) has_seed: bool,
    /// Set if integers of 32 bits are hashed as 64-bit ones.
    pub(crate) widens_integers: bool,
    /// Set if more bytes than the largest filter has are refused.
    pub(crate) refuses_more: bool,
    /// The hash function of new filters, unless the backend has its own.
    pub(crate) function: Function,
    /// Returns true if an envelope that states this function is of this kind, not of another one with the same backend.
    pub(crate) is_of: fn(Function) -> bool,
    /// Returns the parameters of this kind, with this seed.
    pub(crate) of: fn(B::Parameters, i32) -> B::Parameters,
}

impl<B: Backend> Kind<B> {
    /// Returns the line of a kind that is stored in the envelope alone.
    pub(crate) const fn enveloped(names: &'static [&'static str]) -> Self {
        Self {
            names,
            stream: None,
            reads_envelope: true,
            has_seed: false,
            widens_integers: false,
            refuses_more: false,
            function: Function::Murmur3,
            is_of: |_| true,
            of: |parameters, _| parameters,
        }
    }
}
