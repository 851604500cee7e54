//! Checks of stored fields. `FORMAT.md` describes the formats.

use core::fmt;

use crate::error::{Error, Violation};

/// The error for a field with a value that no filter has.
pub(crate) fn invalid(field: &str, allowed: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::InvalidField(Violation::new(field, allowed, found))
}

/// Converts an error about arguments, or about two filters, into one about stored fields.
pub(crate) fn of_field(error: Error) -> Error {
    match error {
        Error::InvalidArgument(violation) | Error::Incompatible(violation) => Error::InvalidField(violation),
        _ => error,
    }
}

/// Checks that reserved bytes, which a later version may use, are zero.
pub(crate) fn zero(reserved: &[u8]) -> Result<(), Error> {
    match reserved.iter().find(|&&byte| byte != 0) {
        None => Ok(()),
        Some(byte) => Err(invalid("a reserved byte", 0, byte)),
    }
}

/// Checks that a stored value is in the range that the contents allow.
pub(crate) fn within(field: &str, stated: u64, least: u64, most: u64) -> Result<(), Error> {
    if (least..=most).contains(&stated) {
        return Ok(());
    }
    let allowed = format_args!("between {least} and {most} by the contents");
    Err(invalid(field, allowed, stated))
}
