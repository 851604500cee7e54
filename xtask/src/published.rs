//! What is published: manifests, the archives that cargo packs, and the commands in documents that install packages.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cargo::{cargo, failed, metadata, output_of, words};
use crate::python;

/// The fields of a manifest that a package's page in the registry shows.
const SHOWN: [&str; 7] = [
    "description",
    "license",
    "repository",
    "homepage",
    "readme",
    "categories",
    "keywords",
];

/// Checks the manifests of published packages, and that documents install these alone and upload no others.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let metadata = metadata(root)?;
    let (packages, others) = packages(&metadata);
    (packages.iter()).try_for_each(|package| check_manifest(package, &names(&others)))?;
    check_documents(root, &others)
}

/// Packs all packages, and checks that the archives have the licences. Without builds from the archives, which take
/// minutes: `cargo publish` does them.
pub(crate) fn pack(root: &Path) -> Result<(), String> {
    cargo(
        root,
        &words("package --workspace --locked --no-verify --allow-dirty"),
    )?;
    let metadata = metadata(root)?;
    let (packages, _) = packages(&metadata);
    packages.into_iter().try_for_each(|package| {
        let folder = format!("{}-{}", text(package, "name"), text(package, "version"));
        let archive = format!("{}/package/{folder}.crate", text(&metadata, "target_directory"));
        let list = &mut Command::new("tar");
        python::contains(
            list.args(["-tzf", &archive]),
            &folder,
            "LICENSE-APACHE LICENSE-MIT",
        )
    })
}

/// Returns the packages that are published, and the others, by `publish` or by cargo-release's key: packages with
/// `publish = false` are not available to dependents in `cargo package --workspace`.
fn packages(metadata: &Value) -> (Vec<&Value>, Vec<&Value>) {
    let all = metadata["packages"].as_array().into_iter().flatten();
    all.partition(|package| package["publish"].is_null() && !is_marked(package))
}

/// Returns true if cargo would publish a package that has cargo-release's mark against it.
fn is_marked(package: &Value) -> bool {
    package["metadata"]["release"]["release"] == false
}

/// Returns the names of packages.
fn names<'p>(packages: &[&'p Value]) -> Vec<&'p str> {
    packages.iter().map(|package| text(package, "name")).collect()
}

/// Returns a field of cargo's metadata that is a text.
fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// Checks that a package's page shows all that it should, and that its dependencies are published.
fn check_manifest(package: &Value, others: &[&str]) -> Result<(), String> {
    let is_shown = |field: &&str| match &package[*field] {
        Value::String(text) => !text.is_empty(),
        Value::Array(texts) => !texts.is_empty(),
        _ => false,
    };
    let name = text(package, "name");
    if let Some(field) = SHOWN.into_iter().find(|field| !is_shown(field)) {
        return Err(failed(name, format_args!("its manifest lacks `{field}`")));
    }
    // Others' packages may have the same name in the registry. A path alone, of tests, is left out of the archive.
    let mut used = package["dependencies"].as_array().into_iter().flatten();
    match used
        .find(|used| used["path"].is_string() && used["req"] != "*" && others.contains(&text(used, "name")))
    {
        Some(used) => Err(failed(
            name,
            format_args!("it uses {}, which is not published", used["name"]),
        )),
        None => Ok(()),
    }
}

/// Checks that documents install and add published packages only, unless from a folder, and that their commands that
/// publish the workspace leave out every package with a mark.
fn check_documents(root: &Path, others: &[&Value]) -> Result<(), String> {
    let marked = others.iter().filter(|package| is_marked(package)).copied();
    let (marked, others) = (names(&marked.collect::<Vec<_>>()), names(others));
    let mut list = Command::new("git");
    let files = output_of(list.args(["ls-files", "-z", "*.md"]).current_dir(root))?;
    for file in String::from_utf8_lossy(&files).split_terminator('\0') {
        let contents = fs::read_to_string(root.join(file)).map_err(|error| failed(file, error))?;
        if let Some(name) = contents.lines().find_map(|line| unpublished(line, &others)) {
            return Err(failed(
                file,
                format_args!("{name} must be installed from a folder, since it is not published"),
            ));
        }
        if let Some(name) = contents.lines().find_map(|line| not_excluded(line, &marked)) {
            let reason = format_args!("`cargo publish --workspace` must have --exclude {name}");
            return Err(failed(file, reason));
        }
    }
    Ok(())
}

/// Returns the package that a command installs from the registry but that is not there.
fn unpublished<'o>(line: &str, others: &[&'o str]) -> Option<&'o str> {
    let (_, arguments) = line
        .split_once("cargo add ")
        .or_else(|| line.split_once("cargo install "))?;
    let mut names = arguments.split(|c: char| !c.is_ascii_alphanumeric() && !"-_/.".contains(c));
    let other = names.find_map(|name| others.iter().find(|other| **other == name));
    other.copied().filter(|_| !arguments.contains("--path"))
}

/// Returns the package that a command uploads although it has a mark against that. A command has options; its name
/// alone is none.
fn not_excluded<'m>(line: &str, marked: &[&'m str]) -> Option<&'m str> {
    let (_, arguments) = line.split_once("cargo publish --workspace --")?;
    let arguments = words(arguments);
    let is_excluded = |name: &str| arguments.windows(2).any(|pair| *pair == ["--exclude", name]);
    marked.iter().find(|name| !is_excluded(name)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_stay_here_are_left_out_and_neither_used_nor_installed() {
        let metadata = r#"{"packages": [{"name": "a", "publish": null, "metadata": null}, {"name": "b", "publish": []},
            {"name": "c", "publish": null, "metadata": {"release": {"release": false}}}]}"#;
        let metadata = serde_json::from_str(metadata).unwrap();
        let (published, others) = packages(&metadata);
        assert_eq!(names(&published), ["a"]);
        assert_eq!(
            others.iter().map(|other| is_marked(other)).collect::<Vec<_>>(),
            [false, true]
        );
        let others = names(&others);
        assert_eq!(others, ["b", "c"]);
        for (line, expected) in [
            ("cargo add a b-c rand", None),
            ("    cargo install --locked c # comment", Some("c")),
            ("With `cargo add b`.", Some("b")),
            ("cargo install --path crates/c c", None),
            ("cargo run c", None),
        ] {
            assert_eq!(unpublished(line, &others), expected, "{line}");
        }
        for (line, expected) in [
            ("cargo publish --workspace --locked --exclude d --exclude c", None),
            ("cargo publish --workspace --exclude c-d", Some("c")),
            ("`cargo publish --workspace` uploads", None),
        ] {
            assert_eq!(not_excluded(line, &["c"]), expected, "{line}");
        }
        let shown = SHOWN.map(|field| (field.to_owned(), "text".into()));
        let mut package = Value::Object(shown.into_iter().collect());
        package["dependencies"] = serde_json::json!([{"name": "b"}, {"name": "b", "path": "/b", "req": "*"}]);
        check_manifest(&package, &others).unwrap();
        let mut refused = |field: &str, value: Value| {
            let before = std::mem::replace(&mut package[field], value);
            let refused = check_manifest(&package, &others).unwrap_err().to_string();
            package[field] = before;
            refused
        };
        assert!(refused("keywords", Value::Array(Vec::new())).contains("`keywords`"));
        let used = serde_json::json!([{"name": "b", "path": "/b", "req": "^0.1.0"}]);
        assert!(refused("dependencies", used).contains("uses \"b\""));
    }
}
