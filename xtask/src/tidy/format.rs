//! Checks the formatting of every Rust file, including files that `cargo fmt` does not reach.

use std::path::Path;
use std::process::Command;

use super::{Offence, Source};

/// Runs rustfmt over all Rust files among `sources`.
pub(super) fn check(root: &Path, sources: &[Source]) -> Result<Vec<Offence>, String> {
    let files: Vec<&str> = sources
        .iter()
        .map(|source| source.path.as_str())
        .filter(|path| path.ends_with(".rs") && !is_reached(path, sources))
        .collect();
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let output = Command::new("rustfmt")
        .args(["--check", "--files-with-diff", "--edition", "2024"])
        .args(&files)
        .current_dir(root)
        .output()
        .map_err(|error| format!("rustfmt: {error}"))?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let mut offences: Vec<Offence> = listed
        .lines()
        .map(|line| {
            let path = Path::new(line).strip_prefix(root).unwrap_or(Path::new(line));
            Offence::new(
                &path.to_string_lossy(),
                0,
                "not formatted: run `cargo fmt`, or rustfmt on the file",
            )
        })
        .collect();
    // rustfmt lists a file once for each file that leads to it.
    offences.sort();
    offences.dedup();
    if offences.is_empty() && !output.status.success() {
        return Err(format!(
            "rustfmt: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    Ok(offences)
}

/// Returns true if rustfmt reaches this file from its parent module. It does not if a macro declares the module.
fn is_reached(path: &str, sources: &[Source]) -> bool {
    let module = path.trim_end_matches(".rs").trim_end_matches("/mod");
    let Some((folder, name)) = module.rsplit_once('/') else {
        return false;
    };
    let above = ["", "/mod", "/lib", "/main"].map(|file| format!("{folder}{file}.rs"));
    let declaration = format!("mod {name};");
    let declares =
        |line: &str| line.ends_with(&declaration) && (line.starts_with("mod ") || line.starts_with("pub"));
    sources.iter().any(|source| {
        source.path != path && above.contains(&source.path) && source.text.lines().any(declares)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Vec<Offence>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rs"), text).unwrap();
        let root = folder.path().canonicalize().unwrap();
        check(&root, &[Source::new("a.rs", text)])
    }

    #[test]
    fn an_unformatted_file_is_named() {
        let offences = run("fn  f( ) { }\n").unwrap();
        assert_eq!(offences.len(), 1);
        assert!(
            offences[0].to_string().starts_with("a.rs: not formatted"),
            "{}",
            offences[0]
        );
        assert!(run("fn f() {}\n").unwrap().is_empty());
    }

    #[test]
    fn a_file_is_formatted_from_where_it_is_declared() {
        let sources = [
            Source::new("src/lib.rs", "pub mod a;\nlist! {\n    mod b;\n}\n"),
            Source::new("src/a.rs", "mod deep;\n"),
        ];
        assert!(is_reached("src/a.rs", &sources) && is_reached("src/a/deep/mod.rs", &sources));
        for path in ["src/lib.rs", "src/b.rs", "src/deep.rs", "build.rs"] {
            assert!(!is_reached(path, &sources), "{path}");
        }
    }

    #[test]
    fn a_file_that_is_no_rust_is_an_error() {
        assert!(run("fn {{{\n").unwrap_err().starts_with("rustfmt: "));
    }
}
