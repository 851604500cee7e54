//! What may lie at the top level.

use super::Offence;

/// Everything else belongs into one of these folders. Dot-files and cargo's `target` come besides.
const ENTRIES: &str =
    "CHANGELOG.md Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT README.md bench-data crates reports xtask";

/// Checks the names at the top level.
pub(super) fn top_level(names: &[String]) -> Vec<Offence> {
    names
        .iter()
        .filter(|name| {
            !name.starts_with('.')
                && *name != "target"
                && ENTRIES.split(' ').all(|entry| entry != name.as_str())
        })
        .map(|name| {
            Offence::new(
                name,
                0,
                format!(
                    "top level: only {} and dot-files lie here",
                    ENTRIES.replace(' ', ", ")
                ),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_entry_is_named() {
        let names = ["Cargo.toml", ".clippy.toml", "target", "crates", "justfile"].map(str::to_owned);
        let offences = top_level(&names);
        assert_eq!(offences.len(), 1);
        assert!(
            offences[0].to_string().starts_with("justfile: top level: "),
            "{}",
            offences[0]
        );
    }
}
