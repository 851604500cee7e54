//! `cargo xtask release`: releases, after checks that cargo and its registry do not make.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use serde_json::Value;

use crate::cargo::{cargo, cargo_command, failed, metadata, output_of, run_command, words};
use crate::needs::{self, PYTHON, TOOLS};
use crate::{python, steps};

/// The placeholder host of addresses that are not set; the name is never valid.
const UNSET: &str = "//unset.invalid";

/// The packages whose tests need only Rust.
const TESTED: &str =
    "--package hashzoo --package filter-policy --package membership-filters --package whole-files";

/// The commands that the installed program must pass, in its folder. The first argument is its version.
const TRIAL: &str = r#"test "$(bin/filters --version)" = "filters $0"
seq 99 > keys
bin/filters build --keys keys --rate 1% --out keys.bloom
test "$(bin/filters query keys.bloom --keys keys | sort -u)" = maybe"#;

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

/// Check that the packages can be released, and release them.
///
/// Checks the packages' manifests, and that documents install published packages only. Builds each package from the
/// archive that would be uploaded, runs the libraries' tests from the archives, and installs and runs the program
/// `filters`. Builds a wheel for Python and the archive of its sources, and checks them; the workflow of releases builds
/// and uploads those of all systems. Then fails if the address of the repository or the homepage is not filled in, or if
/// the changelog has no section for the version.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask release")]
pub(crate) struct Arguments {
    /// Install missing system packages first (Debian and its relatives)
    #[arg(long)]
    install: bool,
    /// Upload the packages after the checks, except those that are there; needs an account, or the token of the release
    /// workflow
    #[arg(long)]
    publish: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let root = &steps::root();
    needs::require(PYTHON, arguments.install, "release")?;
    needs::require_python(root, &[TOOLS], arguments.install, "release")?;
    let metadata = metadata(root)?;
    let (packages, others) = packages(&metadata);
    let read = |name: &str| fs::read_to_string(root.join(name)).map_err(|error| failed(name, error));
    let (manifest, changelog) = (read("Cargo.toml")?, read("CHANGELOG.md")?);
    if arguments.publish {
        ready(&manifest, &changelog)?;
    }
    (packages.iter()).try_for_each(|package| check_manifest(package, &others))?;
    check_documents(root, &others)?;
    // Cargo would verify archives of the same version that an earlier run unpacked.
    let pack = words("package --locked --no-verify");
    cargo(root, &[pack, selection(&packages)].concat())?;
    check_archives(root, Path::new(text(&metadata, "target_directory")), &packages)?;
    python::check(root)?;
    ready(&manifest, &changelog)?;
    if arguments.publish {
        upload(root, packages)?;
    }
    Ok(())
}

/// Uploads the packages that are not there, so that it can be called again: the registry limits new names.
fn upload(root: &Path, mut packages: Vec<&Value>) -> Result<(), String> {
    packages.retain(|package| {
        let version = format!("{}@{}", text(package, "name"), text(package, "version"));
        let mut info = cargo_command(root, &["info", "--quiet", "--registry", "crates-io", &version]);
        let status = info.stdout(Stdio::null()).stderr(Stdio::null()).status();
        !status.is_ok_and(|status| status.success())
    });
    if packages.is_empty() {
        println!("all packages are there");
        return Ok(());
    }
    let publish = words("publish --locked --no-verify");
    cargo(root, &[publish, selection(&packages)].concat())
}

/// Builds the packages from the archives, compiles their tests, and runs the program and the tests of libraries. Only
/// the versions of dependencies come from the workspace.
fn check_archives(root: &Path, target: &Path, packages: &[&Value]) -> Result<(), String> {
    let unpacked = |error: io::Error| failed("the archives", error);
    let target_of_archives = target.join("archives");
    let folder = target_of_archives.join("sources");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(unpacked)?;
    }
    fs::create_dir_all(&folder).map_err(unpacked)?;
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"*-*\"]\n[profile.dev]\nopt-level = 1\n\
                        [patch.crates-io]\n"
        .to_owned();
    for package in packages {
        let (name, version) = (text(package, "name"), text(package, "version"));
        let archive = target.join(format!("package/{name}-{version}.crate"));
        // Files from now, not of the archive's constant time: cargo builds again what is newer than its last build.
        run_command(
            Command::new("tar")
                .arg("-xmf")
                .arg(archive)
                .arg("-C")
                .arg(&folder),
        )?;
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            if !folder.join(format!("{name}-{version}")).join(file).exists() {
                return Err(failed(name, format_args!("the archive lacks {file}")));
            }
        }
        manifest += &format!("{name} = {{ path = \"{name}-{version}\" }}\n");
    }
    fs::write(folder.join("Cargo.toml"), manifest).map_err(unpacked)?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(unpacked)?;
    let run = |arguments: &[&str]| {
        let mut command = cargo_command(&folder, arguments);
        run_command(command.env("CARGO_TARGET_DIR", &target_of_archives))
    };
    // One by one, so that none has only the features that another switches on.
    (selection(packages).chunks(2)).try_for_each(|package| run(&[&["check"], package].concat()))?;
    run(&words("test --workspace --all-features --no-run"))?;
    run(&words(&format!("test --all-features --tests {TESTED}")))?;
    let installed = tempfile::tempdir().map_err(unpacked)?;
    for package in packages
        .iter()
        .filter(|package| text(package, "name") == "filter-tools")
    {
        let (version, root) = (text(package, "version"), installed.path().to_string_lossy());
        let source = format!("filter-tools-{version}");
        run(&[
            "install", "--debug", "--locked", "--path", &source, "--root", &root,
        ])?;
        let mut trial = Command::new("sh");
        trial
            .args(["-euxc", TRIAL, version])
            .current_dir(installed.path());
        run_command(&mut trial)?;
    }
    Ok(())
}

/// Returns the packages that are published, and the names of the others, by `publish` or by cargo-release's key:
/// packages with `publish = false` are not available to dependents in `cargo package --workspace`.
fn packages(metadata: &Value) -> (Vec<&Value>, Vec<&str>) {
    let all = metadata["packages"].as_array().into_iter().flatten();
    let (published, others): (Vec<&Value>, Vec<&Value>) = all.partition(|package| {
        package["publish"].is_null() && package["metadata"]["release"]["release"] != false
    });
    (
        published,
        others.iter().map(|package| text(package, "name")).collect(),
    )
}

/// Returns cargo's selection of packages: two words each.
fn selection<'p>(packages: &[&'p Value]) -> Vec<&'p str> {
    (packages.iter())
        .flat_map(|package| ["--package", text(package, "name")])
        .collect()
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

/// Checks that documents install and add published packages only, unless from a folder.
fn check_documents(root: &Path, others: &[&str]) -> Result<(), String> {
    let mut list = Command::new("git");
    let files = output_of(list.args(["ls-files", "-z", "*.md"]).current_dir(root))?;
    for file in String::from_utf8_lossy(&files).split_terminator('\0') {
        let contents = fs::read_to_string(root.join(file)).map_err(|error| failed(file, error))?;
        if let Some(name) = contents.lines().find_map(|line| unpublished(line, others)) {
            return Err(failed(
                file,
                format_args!("{name} must be installed from a folder, since it is not published"),
            ));
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

/// Checks the manifest of the workspace, from which all packages have addresses and version, and the changelog.
fn ready(manifest: &str, changelog: &str) -> Result<(), String> {
    if manifest.contains(UNSET) {
        let reason = "set `repository` and `homepage` in Cargo.toml";
        return Err(failed("not ready for a release", reason));
    }
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = \""));
    let version = version.unwrap_or_default().trim_end_matches('"');
    let heading = format!("## {version}");
    let is_heading = |line: &str| line == heading || line.starts_with(&format!("{heading} "));
    if changelog.lines().any(is_heading) {
        Ok(())
    } else {
        let reason = format!("CHANGELOG.md has no section {heading:?}");
        Err(failed("not ready for a release", reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let manifest = "version = \"0.1.0\"\nhomepage = \"https://a.org\"\n";
        ready(manifest, "# Changelog\n\n## 0.1.0 (today)\n").unwrap();
        let reason = |manifest, changelog| ready(manifest, changelog).unwrap_err().to_string();
        let of_changelog = reason(manifest, "## 0.1.01\n## Unreleased\n");
        assert!(
            of_changelog.ends_with("no section \"## 0.1.0\""),
            "{of_changelog}"
        );
        let of_address = reason("homepage = \"https://unset.invalid\"", "");
        assert!(of_address.contains("`homepage`"), "{of_address}");
    }

    #[test]
    fn packages_that_stay_here_are_left_out_and_neither_used_nor_installed() {
        let metadata = r#"{"packages": [{"name": "a", "publish": null, "metadata": null}, {"name": "b", "publish": []},
            {"name": "c", "publish": null, "metadata": {"release": {"release": false}}}]}"#;
        let metadata = serde_json::from_str(metadata).unwrap();
        let (published, others) = packages(&metadata);
        assert_eq!(
            (selection(&published), &others[..]),
            (vec!["--package", "a"], &["b", "c"][..])
        );
        for (line, expected) in [
            ("cargo add a b-c rand", None),
            ("    cargo install --locked c # comment", Some("c")),
            ("With `cargo add b`.", Some("b")),
            ("cargo install --path crates/c c", None),
            ("cargo run c", None),
        ] {
            assert_eq!(unpublished(line, &others), expected, "{line}");
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
