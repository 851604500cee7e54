//! Readable texts of system errors.

use std::io;

/// Returns only the reason, without the error's number and the suffix of `tempfile`: `No such file or directory`.
pub fn text(error: &io::Error) -> String {
    let text = error.to_string();
    let reason = text
        .split_once(" at path ")
        .map_or(text.as_str(), |(reason, _)| reason);
    let reason = reason
        .split_once(" (os error ")
        .map_or(reason, |(reason, _)| reason);
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_number_nor_scratch_name_is_shown() {
        let missing = std::fs::read("no such file here").unwrap_err();
        assert!(missing.to_string().contains("os error"), "{missing}");
        assert!(
            !text(&missing).contains("os error") && !text(&missing).is_empty(),
            "{missing}"
        );

        let wrapped = tempfile::tempdir_in("no such folder here").unwrap_err();
        assert!(wrapped.to_string().contains("no such folder"), "{wrapped}");
        assert_eq!(text(&wrapped), text(&missing));

        let of_a_kind = io::Error::from(io::ErrorKind::OutOfMemory);
        assert_eq!(text(&of_a_kind), "out of memory");
    }
}
