//! The checks before a function is measured.

use terminal::failure::Failure;
use terminal::number::counted;

use super::function::Function;

/// A key beyond the 255 bytes of the verification procedure. Some functions take another path for long keys: from 241,
/// 257 or 289 bytes on, in blocks of 1,024, or with instructions that pay off only for many bytes. Values not published
/// elsewhere: CRC-32 by zlib, CRC-32C by a table, FNV-1a 64 and MurmurHash3 by programs of a few lines, the family of xxHash by its
/// package for Python; the others recorded from the pinned releases.
pub(super) static LONG_KEY: [u8; 30_011] = {
    let mut key = [0; 30_011];
    let mut at = 0;
    while at < key.len() {
        key[at] = ((at * at) >> 4) as u8;
        at += 1;
    }
    key
};

/// The lengths of the keys that are taken from the start of [`LONG_KEY`].
pub(super) fn lengths() -> impl Iterator<Item = usize> {
    (0..1100).chain([LONG_KEY.len()])
}

/// Compares a function with its known answers, its verification value, and the function of `hashzoo` with the same
/// identifier, if there is one. Values must have no bits above the output and be the same in every call.
pub(super) fn check(function: &Function) -> Result<(), String> {
    let same = |what: &dyn Fn() -> String, expected: u64, got: u64| match expected == got {
        true => Ok(()),
        false => Err(format!("{} must be {expected:#x}, got {got:#x}", what())),
    };
    let (hash, bits) = (function.hash, function.facts.output_bits);
    for (key, expected) in &function.answers {
        let question = || match key.len() {
            0..100 => format!("the value of \"{}\"", key.escape_ascii()),
            long => format!("the value of a key of {}", counted(long as u64, "byte")),
        };
        same(&question, *expected, hash(key))?;
    }
    if let Some(expected) = function.code {
        let bytes = if bits <= u32::BITS { 4 } else { 8 };
        let code = match function.seeded {
            Some(seeded) => hashzoo::verification_value(seeded, bytes),
            None => hashzoo::verification_value(|key, _| hash(key), bytes),
        };
        let question = || "SMHasher's verification value".to_owned();
        same(&question, expected.into(), code.into())?;
    }
    // The names of a user-defined function may be aliases there.
    let elsewhere = hashzoo::find(&function.ident).filter(|info| info.ident == function.ident);
    for length in lengths() {
        let key = &LONG_KEY[..length];
        let value = hash(key);
        let bytes = || counted(length as u64, "byte");
        let above = || format!("the bits above the {bits} of its output, of {}", bytes());
        same(&above, 0, value.checked_shr(bits).unwrap_or(0))?;
        let again = || format!("the value of the same {} once more", bytes());
        same(&again, value, hash(key))?;
        if let Some(info) = elsewhere {
            let question = || format!("the value of a key of {}", bytes());
            same(&question, (info.hash)(key), value)?;
        }
    }
    Ok(())
}

/// Checks the known answers of each function, so that every name measures the function it stands for.
///
/// # Errors
///
/// Returns an error for the first function with a wrong answer.
pub fn gate<'a>(functions: impl IntoIterator<Item = &'a Function>) -> Result<(), Failure> {
    for function in functions {
        check(function).map_err(|wrong| {
            Failure::internal(format!("{} is not measured: {wrong}", function.facts.name))
        })?;
    }
    Ok(())
}
