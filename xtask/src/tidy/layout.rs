//! The entries allowed at the top level.

use super::Offence;

/// The allowed entries, in addition to dot-files and cargo's `target`. Everything else belongs in one of these folders.
const ENTRIES: &str = "CHANGELOG.md CITATION.cff Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT README.md bench-data crates reports xtask";

pub(super) fn top_level(names: &[String]) -> Vec<Offence> {
    let is_stray = |name: &&String| {
        let known = ENTRIES
            .split(' ')
            .chain(["target"])
            .any(|entry| entry == name.as_str());
        !known && !name.starts_with('.')
    };
    let rule = format!(
        "top level: only {} and dot-files lie here",
        ENTRIES.replace(' ', ", ")
    );
    let strays = names.iter().filter(is_stray);
    strays.map(|name| Offence::new(name, 0, rule.clone())).collect()
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
