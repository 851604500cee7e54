//! Rules for lock files: workspaces below the main one have its versions, so that nothing is built twice.

use super::Offence;

/// Checks the lock file at `path`, of this text, against the text of the main one.
pub(super) fn check(main: &str, path: &str, text: &str) -> Result<Vec<Offence>, String> {
    let failed = || format!("{path}: is no lock file, or the main one is none");
    let main = packages(main).ok_or_else(failed)?;
    let offence = |(name, version): (String, String)| {
        let mut same = main
            .iter()
            .filter(|(other, there)| *other == name && series(there) == series(&version))
            .map(|(_, there)| there)
            .peekable();
        let there = *same.peek()?;
        let rule = format!(
            "{name} is {version}, in the main workspace {there}: `cargo update {name} --precise {there}` in the folder"
        );
        same.all(|there| *there != version)
            .then(|| Offence::new(path, 0, rule))
    };
    let packages = packages(text).ok_or_else(failed)?;
    Ok(packages.into_iter().filter_map(offence).collect())
}

/// Names and versions.
fn packages(lock: &str) -> Option<Vec<(String, String)>> {
    let lock: toml::Table = lock.parse().ok()?;
    let text = |value: &toml::Value| Some(value.as_str()?.to_owned());
    let package = |value: &toml::Value| Some((text(value.get("name")?)?, text(value.get("version")?)?));
    lock.get("package")?.as_array()?.iter().map(package).collect()
}

/// What two versions have in common that can stand for each other: everything up to the first number that is not 0.
fn series(version: &str) -> &str {
    let end = version.find(|c: char| c.is_ascii_digit() && c != '0');
    let rest = end.map_or("", |end| &version[end..]);
    let after = rest.find('.').unwrap_or(rest.len());
    &version[..version.len() - rest.len() + after]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_that_could_be_the_same_is_found() {
        let lock = |packages: &[(&str, &str)]| -> String {
            let package = |(name, version)| format!("[[package]]\nname = {name:?}\nversion = {version:?}\n");
            packages.iter().copied().map(package).collect()
        };
        let main = lock(&[("rand", "0.9.4"), ("rand", "0.10.3"), ("clap", "4.6.7")]);
        let check = |packages| check(&main, "x/Cargo.lock", &lock(packages)).unwrap();
        let fine = [
            ("rand", "0.10.3"),
            ("rand", "0.8.5"),
            ("clap", "3.0.1"),
            ("lru", "0.1.0"),
        ];
        assert_eq!(check(&fine), []);
        let found = check(&[("rand", "0.10.2"), ("clap", "4.10.0")]);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "x/Cargo.lock: rand is 0.10.2, in the main workspace 0.10.3: `cargo update rand --precise 0.10.3` in the folder",
                "x/Cargo.lock: clap is 4.10.0, in the main workspace 4.6.7: `cargo update clap --precise 4.6.7` in the folder",
            ]
        );
    }
}
