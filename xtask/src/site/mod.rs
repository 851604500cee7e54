//! `cargo xtask site`: the documentation as a folder of pages. It holds every Markdown file of the workspace, the files
//! that they link to, and the reference report with its records.

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use self::page::Page;
use crate::failure::Failure;
use crate::{tidy, workspace};

/// The links at the top of every page.
const SECTIONS: [(&str, &str); 9] = [
    ("Start", "README.md"),
    ("Guides", "crates/guides"),
    ("Policies", "crates/filter-formats/WHICH.md"),
    ("Formats", "crates/filter-formats/FORMAT.md"),
    ("Theory", "crates/filter-formats/THEORY.md"),
    ("Report", "reports/reference"),
    ("Benchmarks", "crates/benchmarks/README.md"),
    ("Map", "crates/ARCHITECTURE.md"),
    ("Changes", "CHANGELOG.md"),
];

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem}\
    nav a{margin-right:1rem}table{border-collapse:collapse;display:block;overflow-x:auto}\
    td,th{border:1px solid #bbb;padding:.2rem .5rem}pre{background:#f4f4f4;padding:.7rem;overflow-x:auto}\
    img{max-width:100%}@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}a{color:#8bf}\
    pre{background:#262626}}";

/// Write the documentation as a folder of pages.
///
/// Writes guides, formats, theory, the map, decisions and every other Markdown file, the files that they link to, and the
/// reference report with its records to a folder that any host can serve. A broken link is an error, and nothing is written
/// then.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask site --out public")]
pub(crate) struct Arguments {
    /// The folder to write [default: target/site]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let root = workspace::root();
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/site"));
    let pages = build(&root, &out)?;
    Ok(writeln!(io::stdout(), "{pages} pages in {}", out.display())?)
}

/// Writes the pages into `out`, overwriting files, and returns their number.
///
/// # Errors
///
/// If a link is broken, in which case the message lists all broken links, or if a file cannot be read or written.
pub(crate) fn build(root: &Path, out: &Path) -> Result<usize, String> {
    let mut pages = BTreeMap::new();
    for path in tidy::written_files(root)?
        .into_iter()
        .filter(|path| path.ends_with(".md"))
    {
        let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
        pages.insert(path.clone(), Page::new(&path, &text));
    }
    // Linked folders have a page: their README, or else a list of their files.
    let mut found: Vec<String> = pages.values().flat_map(Page::targets).collect();
    found.extend(SECTIONS.map(|(_, path)| path.to_owned()));
    let mut wanted = BTreeSet::new();
    while let Some(path) = found.pop() {
        let folder = root.join(&path);
        let readme = format!("{path}/README.md");
        let needs_page =
            folder.is_dir() && !folder.join("index.html").is_file() && !pages.contains_key(&readme);
        if wanted.insert(path.clone()) && needs_page {
            let text = match fs::read_to_string(root.join(&readme)) {
                Ok(text) => text,
                Err(_) => listing(root, &path)?,
            };
            let page = Page::new(&readme, &text);
            found.extend(page.targets());
            pages.insert(readme, page);
        }
    }

    let mut lost: Vec<String> = Vec::new();
    for (path, page) in &pages {
        lost.extend(
            page.lost(root, &pages)
                .into_iter()
                .map(|link| format!("{path}: {link} leads nowhere")),
        );
    }
    if !lost.is_empty() {
        return Err(lost.join("\n"));
    }
    for page in pages.values() {
        write(
            &out.join(page.place()),
            page.html(root, &pages, &SECTIONS).as_bytes(),
        )?;
    }
    write(&out.join("style.css"), STYLE.as_bytes())?;
    copy(root, out, "reports/reference")?;
    for path in wanted
        .iter()
        .filter(|path| !pages.contains_key(*path) && root.join(path).is_file())
    {
        copy(root, out, path)?;
    }
    Ok(pages.len())
}

/// Returns a page that lists a folder.
fn listing(root: &Path, folder: &str) -> Result<String, String> {
    let mut text = format!("# {folder}\n\n");
    for name in tidy::entries(&root.join(folder))? {
        text += &format!("- [{name}]({name})\n");
    }
    Ok(text)
}

fn copy(root: &Path, out: &Path, path: &str) -> Result<(), String> {
    let from = root.join(path);
    if from.is_dir() {
        let names = tidy::entries(&from)?;
        return names
            .iter()
            .try_for_each(|name| copy(root, out, &format!("{path}/{name}")));
    }
    let bytes = fs::read(&from).map_err(|error| format!("{path}: {error}"))?;
    write(&out.join(path), &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let said = |error: io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(said)?;
    }
    fs::write(path, bytes).map_err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_files_and_folders_are_linked() {
        let (root, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = |path: &str, text: &str| write(&root.path().join(path), text.as_bytes()).unwrap();
        for (_, path) in SECTIONS {
            if path.ends_with(".md") {
                file(path, "# A title\n");
            }
        }
        file("crates/guides/one.md", "# One");
        file("reports/reference/index.html", "<svg>");
        file("a.rs", "fn main() {}");
        file("LICENSE", "");
        file("data/inner/b.csv", "");
        file("reports/machines/README.md", "# Machines");
        file(
            "README.md",
            "# Start here\n\n[one](crates/guides/one.md#one) [a](a.rs) [all](crates/guides) [l](LICENSE) [d](data)\n\
             [m](reports/machines/)\n",
        );
        build(root.path(), out.path()).unwrap();
        let index = fs::read_to_string(out.path().join("index.html")).unwrap();
        for part in [
            "<h1 id=\"start-here\">",
            "href=\"crates/guides/one.html#one\"",
            "href=\"a.rs\"",
            "href=\"LICENSE\"",
            "href=\"crates/guides/index.html\"",
            "href=\"reports/reference/index.html\"",
        ] {
            assert!(index.contains(part), "{part}: {index}");
        }
        for path in [
            "a.rs",
            "crates/guides/index.html",
            "crates/guides/one.html",
            "data/index.html",
            "data/inner/index.html",
            "data/inner/b.csv",
            "reports/machines/index.html",
            "style.css",
        ] {
            assert!(out.path().join(path).is_file(), "{path}");
        }

        file("README.md", "[one](crates/guides/one.md#two) [b](b.rs)\n");
        let lost = build(root.path(), out.path()).unwrap_err();
        let expected = "README.md: crates/guides/one.md#two leads nowhere\nREADME.md: b.rs leads nowhere";
        assert_eq!(lost, expected);
    }
}
