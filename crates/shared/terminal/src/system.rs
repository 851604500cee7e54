//! Readable texts of system errors.

use std::io;

/// Returns only the reason, without the error's number: `No such file or directory`.
pub fn text(error: &io::Error) -> String {
    let text = error.to_string();
    let reason = text.split_once(" (os error ");
    reason.map_or(text.as_str(), |(reason, _)| reason).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_shown() {
        let missing = std::fs::read("no such file here").unwrap_err();
        assert!(missing.to_string().contains("os error"), "{missing}");
        assert!(
            !text(&missing).contains("os error") && !text(&missing).is_empty(),
            "{missing}"
        );

        let of_a_kind = io::Error::from(io::ErrorKind::OutOfMemory);
        assert_eq!(text(&of_a_kind), "out of memory");
    }
}
