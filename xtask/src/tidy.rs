//! The workspace's own rules: which crate uses which, and the order of modules. `crates/README.md` declares both.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cargo::metadata;

/// The page that declares the arrows between crates and the order of modules, each in a block of its own.
const MAP: &str = "crates/README.md";

/// Checks the workspace at `root`.
///
/// # Errors
///
/// If a rule is broken, which the message names, a file cannot be read, or cargo cannot be run.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let map = read(&root.join(MAP))?;
    let (crates, orders) = (declared(&map, "crates"), declared(&map, "modules"));
    let metadata = metadata(root)?;
    let mut offences = arrows(&metadata, &crates);
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let order = orders.iter().find(|(room, _)| *room == name);
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let (folder, mut files) = (manifest.with_file_name("src"), Vec::new());
        // A package of tests alone has none.
        if folder.is_dir() {
            collect(&folder, "", &mut files)?;
        }
        offences.extend(modules(name, "", order.map_or(&[], |(_, order)| order), &files));
        for (room, order) in &orders {
            if let Some(folder) = room.strip_prefix(&format!("{name}/")) {
                offences.extend(modules(name, folder, order, &files));
            }
        }
    }
    if offences.is_empty() {
        Ok(())
    } else {
        Err(format!("not tidy:\n{}", offences.join("\n")))
    }
}

/// Returns the rows `name: word word ...` of a block of the map.
fn declared<'t>(map: &'t str, block: &str) -> Vec<(&'t str, Vec<&'t str>)> {
    let start = format!("```{block}\n");
    let (_, rest) = map.split_once(&start).unwrap_or_default();
    let rows = rest.split("```").next().unwrap_or_default().lines();
    rows.filter_map(|row| row.split_once(':'))
        .map(|(name, words)| (name, words.split_whitespace().collect()))
        .collect()
}

/// Checks that each crate in the map uses exactly the crates of its row, which stand above it.
fn arrows(metadata: &Value, map: &[(&str, Vec<&str>)]) -> Vec<String> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]);
    let mut offences = Vec::new();
    for (place, (name, declared)) in map.iter().enumerate() {
        let package = packages.iter().find(|package| package["name"] == *name);
        let used: BTreeSet<String> = list(&package.unwrap_or(&Value::Null)["dependencies"])
            .iter()
            .filter(|dependency| dependency["path"].is_string() && dependency["name"] != *name)
            .filter_map(|dependency| Some(dependency["name"].as_str()?.to_owned()))
            .collect();
        if used != declared.iter().map(|&name| name.to_owned()).collect() {
            let used: Vec<String> = used.into_iter().collect();
            offences.push(format!("{MAP}: {name} uses {}", used.join(" ")));
        }
        for used in declared {
            if !map[..place].iter().any(|(above, _)| above == used) {
                offences.push(format!(
                    "{MAP}: {name} uses {used}, which does not stand above it"
                ));
            }
        }
    }
    offences
}

/// Checks that each module of a crate, or of its folder `below`, uses only the modules before it; those of a folder use
/// nothing of the file that lists them. `files` are paths below `src` and texts.
fn modules(room: &str, below: &str, order: &[&str], files: &[(String, String)]) -> Vec<String> {
    let mut offences = BTreeSet::new();
    for (path, text) in files {
        // Files outside the folder are passed over like the one that lists its modules.
        let inner = path.strip_prefix(below).unwrap_or("mod.rs");
        let module = inner.split('/').next().unwrap_or(inner).trim_end_matches(".rs");
        let is_test = path.split('/').any(|part| matches!(part, "tests" | "tests.rs"));
        if matches!(module, "lib" | "main" | "mod") || is_test {
            continue;
        }
        let Some(place) = order.iter().position(|known| *known == module) else {
            offences.insert(format!("{MAP}: {room}: {module} has no place in the order"));
            continue;
        };
        let depth = inner.trim_end_matches("/mod.rs").matches('/').count() + 1;
        let (before, after) = order.split_at(place + 1);
        let whole = below.is_empty();
        let starts = ["super::".repeat(depth), "crate::".to_owned()];
        for used in used(text, &starts[..1 + usize::from(whole)]) {
            if after.contains(&used) || !whole && used != "super" && !before.contains(&used) {
                offences.insert(format!(
                    "{room}/src/{path}: {module} uses {used}, which is not before it"
                ));
            }
        }
    }
    offences.into_iter().collect()
}

/// Returns the names that follow these starts of paths before the tests of a file.
fn used<'t>(text: &'t str, starts: &[String]) -> Vec<&'t str> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut found = Vec::new();
    for start in starts {
        for (at, _) in code.match_indices(start) {
            let (before, after) = (&code[..at], &code[at + start.len()..]);
            let is_comment = before.rsplit('\n').next().is_some_and(|line| line.contains("//"));
            if is_comment || before.ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric()) {
                continue;
            }
            // A tree like `{a, b::C}`; rustfmt keeps a name a line, or one line.
            let tree = after.strip_prefix('{').map(|tree| tree.split('}').next());
            let names = tree
                .flatten()
                .map_or(vec![after], |tree| tree.split(',').collect());
            let ends = |c: char| c != '_' && !c.is_alphanumeric();
            found.extend(
                names
                    .iter()
                    .filter_map(|name| name.trim_start().split(ends).next()),
            );
        }
    }
    found
}

/// Collects the Rust files below a folder, with their texts.
fn collect(folder: &Path, below: &str, files: &mut Vec<(String, String)>) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = format!("{below}{}", path.file_name().unwrap_or_default().display());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if name.ends_with(".rs") {
            let text = read(&path)?;
            files.push((name, text));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_names_the_arrows_between_crates() {
        let metadata: Value = serde_json::from_str(
            r#"{"packages": [
                {"name": "low", "dependencies": [{"name": "rand"}, {"name": "low", "path": "/w/low"}]},
                {"name": "high", "dependencies": [{"name": "low", "path": "/w/low", "kind": "dev"}]}
            ]}"#,
        )
        .unwrap();
        let offences = |map: &str| arrows(&metadata, &declared(map, "crates"));
        assert!(offences("# Map\n```crates\nlow:\nhigh: low\n```\n").is_empty());
        assert_eq!(
            offences("```crates\nhigh: low\nlow: high\n```\n"),
            [
                "crates/README.md: high uses low, which does not stand above it",
                "crates/README.md: low uses ",
            ]
        );
    }

    #[test]
    fn a_module_uses_only_those_before_it() {
        let offences = |path: &str, text: &str| {
            modules(
                "x",
                "",
                &["low", "middle", "high"],
                &[(path.to_owned(), text.to_owned())],
            )
        };
        for (path, text) in [
            ("middle.rs", "use crate::{\n    low::Low,\n    high,\n};\n"),
            ("middle.rs", "use super::high;\n"),
            ("middle/mod.rs", "fn f() { super::high::g() }\n"),
            ("middle/deep.rs", "use super::super::high::High;\n"),
        ] {
            let expected = format!("x/src/{path}: middle uses high, which is not before it");
            assert_eq!(offences(path, text), [expected]);
        }
        for (path, text) in [
            ("high.rs", "use crate::{low, middle};\n"),
            ("middle/deep.rs", "use super::high;\nuse other_crate::high;\n"),
            (
                "middle.rs",
                "// crate::high\n#[cfg(test)]\nmod tests {\n    use crate::high;\n}\n",
            ),
            ("middle/tests.rs", "use crate::high;\n"),
            ("tests/odd.rs", "use crate::high;\n"),
            ("lib.rs", "use crate::high;\n"),
        ] {
            assert_eq!(offences(path, text), [""; 0], "{path}");
        }
        assert_eq!(
            offences("odd.rs", ""),
            ["crates/README.md: x: odd has no place in the order"]
        );
        let text = "use super::{Middle, first};\nuse super::super::low;\nuse crate::second;\n";
        let files = [("middle/first.rs".to_owned(), text.to_owned())];
        let expected = "x/src/middle/first.rs: first uses Middle, which is not before it";
        assert_eq!(modules("x", "middle/", &["first", "second"], &files), [expected]);
    }
}
