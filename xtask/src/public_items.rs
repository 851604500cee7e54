//! `cargo xtask document`: the documentation, whose pages show the public items of the published libraries.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use crate::Failure;
use crate::cargo::{failed, metadata, output_of};
use crate::release::{packages, text};
use crate::{suite, workspace};

/// The list in each library's folder.
const LIST: &str = "public-items.txt";

/// Build the documentation, and compare the public items of each published library with its list
///
/// A list has names and kinds, because other versions of rustdoc write other signatures.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask document --renew")]
pub(crate) struct Arguments {
    /// Write the lists in place of comparing them
    #[arg(long)]
    renew: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    suite::documentation(&workspace::root(), arguments.renew)
}

/// Compares the items in the pages of the documentation with the lists, or writes the lists.
pub(crate) fn check(root: &Path, renew: bool) -> Result<(), Failure> {
    let version = output_of(Command::new("rustdoc").arg("--version").current_dir(root))?;
    let version = String::from_utf8_lossy(&version);
    let metadata = metadata(root)?;
    let pages = Path::new(text(&metadata, "target_directory")).join("doc");
    let mut different = String::new();
    for package in packages(&metadata).0 {
        // Libraries that are published for the program alone promise nothing.
        if text(package, "name").starts_with("filter-tools") {
            continue;
        }
        let library = text(&package["targets"][0], "name");
        let mut items = BTreeSet::new();
        add_module(&pages.join(library), "", &mut items).map_err(|error| failed(library, error))?;
        let path = Path::new(text(package, "manifest_path")).with_file_name(LIST);
        if renew {
            let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
            fs::write(&path, format!("# {version}{lines}")).map_err(|error| failed(path.display(), error))?;
            continue;
        }
        let list = fs::read_to_string(&path).map_err(|error| failed(path.display(), error))?;
        let (written_with, listed) = list.split_once('\n').unwrap_or_default();
        let changes = changes(&listed.lines().map(str::to_owned).collect(), &items);
        if !changes.is_empty() {
            let path = path.strip_prefix(root).unwrap_or(&path).display();
            different += &format!(
                "\n{path}, written with {}:{changes}",
                written_with.trim_start_matches("# ")
            );
        }
    }
    let is_other = !different.contains(&format!("written with {}:", version.trim_end()));
    if different.is_empty() {
        Ok(())
    } else if is_other {
        println!("not compared, since rustdoc is another: {different}");
        Ok(())
    } else {
        let way = "if that is intended, run `cargo xtask document --renew`";
        Err(failed(
            "public items differ from their lists",
            format_args!("{way}{different}"),
        ))
    }
}

/// Returns the lines to add and to remove.
fn changes(listed: &BTreeSet<String>, items: &BTreeSet<String>) -> String {
    let added = items.difference(listed).map(|item| format!("\n+ {item}"));
    let removed = listed.difference(items).map(|item| format!("\n- {item}"));
    added.chain(removed).collect()
}

/// Adds the items of a module, which are the pages that its page names, because files of earlier items stay. `module`
/// ends with `::` or is empty.
fn add_module(folder: &Path, module: &str, items: &mut BTreeSet<String>) -> io::Result<()> {
    let page = fs::read_to_string(folder.join("index.html"))?;
    for name in values(&page, "id=\"reexport.") {
        items.insert(format!("{module}{name} reexport"));
    }
    for link in values(&page, "href=\"") {
        let parts: Vec<&str> = link.split(['.', '/']).collect();
        match parts[..] {
            [name, "index", "html"] if is_name(name) => {
                let path = format!("{module}{name}");
                if items.insert(format!("{path} mod")) {
                    add_module(&folder.join(name), &format!("{path}::"), items)?;
                }
            }
            [kind, name, "html"] if is_name(kind) && is_name(name) => {
                let path = format!("{module}{name}");
                if items.insert(format!("{path} {kind}")) && kind != "type" {
                    let page = fs::read_to_string(folder.join(link))?;
                    add_members(&page, &path, items);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds the members of an item, without those of the traits that it implements and of what it refers to.
fn add_members(page: &str, path: &str, items: &mut BTreeSet<String>) {
    let others = [
        "trait-implementations",
        "synthetic-implementations",
        "blanket-implementations",
        "deref-methods",
        "foreign-impls",
        "implementors",
        "synthetic-implementors",
    ];
    let ends = others
        .iter()
        .filter_map(|section| page.find(&format!("id=\"{section}")));
    let page = &page[..ends.min().unwrap_or(page.len())];
    for id in values(page, "id=\"") {
        // Names that several implementations have are numbered.
        let parts: Vec<&str> = id.split('-').next().unwrap_or_default().split('.').collect();
        match parts[..] {
            [
                "method" | "tymethod" | "variant" | "structfield" | "associatedconstant" | "associatedtype",
                name,
            ] => {
                items.insert(format!("{path}::{name} {}", parts[0]));
            }
            ["variant", variant, kind, name] => {
                items.insert(format!("{path}::{variant}::{name} {kind}"));
            }
            _ => {}
        }
    }
}

/// Returns the values of this attribute.
fn values<'p>(page: &'p str, attribute: &str) -> impl Iterator<Item = &'p str> {
    page.split(attribute)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_added_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |page: &str, html: &str| fs::write(folder.path().join(page), html).unwrap();
        fs::create_dir(folder.path().join("m")).unwrap();
        write(
            "index.html",
            r#"<a href="../a/index.html"><a href="m/index.html"><a href="enum.E.html"><a href="fn.f.html">"#,
        );
        write(
            "fn.f.html",
            r#"<h2 id="blanket-implementations"><a id="method.into">"#,
        );
        write("fn.removed.html", "");
        write("m/index.html", r#"<li id="reexport.R"><a href="trait.T.html">"#);
        write(
            "m/trait.T.html",
            r#"<h2 id="x"><a id="tymethod.new"><h2 id="implementors"><a id="method.of">"#,
        );
        write(
            "enum.E.html",
            r#"<a id="variant.V"><a id="variant.V.field.0"><a id="method.a"><a id="method.a-1">
               <h2 id="trait-implementations"><a id="method.fmt">"#,
        );
        let mut items = BTreeSet::new();
        add_module(folder.path(), "", &mut items).unwrap();
        let expected = [
            "E enum",
            "E::V variant",
            "E::V::0 field",
            "E::a method",
            "f fn",
            "m mod",
            "m::R reexport",
            "m::T trait",
            "m::T::new tymethod",
        ];
        let mut listed = BTreeSet::from(expected.map(str::to_owned));
        assert_eq!(items, listed);
        assert_eq!(changes(&listed, &items), "");
        listed.remove("f fn");
        listed.insert("g fn".to_owned());
        assert_eq!(changes(&listed, &items), "\n+ f fn\n- g fn");
    }
}
