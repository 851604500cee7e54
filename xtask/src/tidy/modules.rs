//! Rules for the modules of a crate: those of the comparison know only the ones before them, and nowhere do two modules
//! need each other. Tests may use what they like.

use std::collections::{BTreeMap, BTreeSet};

use super::{Offence, Source};

/// The modules of the comparison, from the ground up; a module may use those before it. A new module is entered here.
const ORDER: &str = "progress system error names record keys functions measure judge report run interrupt terminal program commands";
/// Whose modules these are.
const ORDERED: &str = "crates/hash-comparison/";

/// That a module at the top of a crate names another.
#[derive(Debug, PartialEq, Eq)]
struct Arrow<'a> {
    from: &'a str,
    to: &'a str,
    file: &'a str,
    line: usize,
}

/// Checks the modules of every crate.
pub(super) fn check(sources: &[Source]) -> Vec<Offence> {
    let mut roots = BTreeMap::new();
    for source in sources {
        let path = &source.path;
        // A package's library comes before its program.
        if let Some(package) = path
            .strip_suffix("src/lib.rs")
            .or_else(|| path.strip_suffix("src/main.rs"))
        {
            roots.entry(package).or_insert(source);
        }
    }
    let mut offences = Vec::new();
    for (package, root) in roots {
        let arrows = arrows(root, package, sources);
        offences.extend(if package == ORDERED {
            order(&arrows)
        } else {
            circles(&arrows)
        });
    }
    offences
}

/// Checks that no arrow leads upwards.
fn order(arrows: &[Arrow<'_>]) -> Vec<Offence> {
    let place = |module: &str| ORDER.split(' ').position(|known| known == module);
    let offence = |arrow: &Arrow<'_>| {
        let rule = match (place(arrow.from), place(arrow.to)) {
            (Some(from), Some(to)) if to < from => return None,
            (Some(_), Some(_)) => format!(
                "modules: {} may not use {}, which comes later",
                arrow.from, arrow.to
            ),
            (place, _) => {
                let unknown = if place.is_none() { arrow.from } else { arrow.to };
                format!("modules: {unknown} has no entry in xtask/src/tidy/modules.rs")
            }
        };
        Some(Offence::new(arrow.file, arrow.line, rule))
    };
    arrows.iter().filter_map(offence).collect()
}

/// Finds what lies on a circle: once for each two modules of which one uses the other.
fn circles(arrows: &[Arrow<'_>]) -> Vec<Offence> {
    let mut uses: BTreeMap<&str, BTreeMap<&str, &Arrow<'_>>> = BTreeMap::new();
    for arrow in arrows {
        uses.entry(arrow.from)
            .or_default()
            .entry(arrow.to)
            .or_insert(arrow);
    }
    let leads_back = |arrow: &&&Arrow<'_>| {
        let mut reached = BTreeSet::new();
        let mut next = vec![arrow.to];
        while let Some(module) = next.pop() {
            if reached.insert(module) {
                next.extend(uses.get(module).into_iter().flat_map(BTreeMap::keys));
            }
        }
        reached.contains(arrow.from)
    };
    uses.values()
        .flat_map(BTreeMap::values)
        .filter(leads_back)
        .map(|arrow| {
            let rule = format!(
                "modules: a circle: {} uses {}, which leads back",
                arrow.from, arrow.to
            );
            Offence::new(arrow.file, arrow.line, rule)
        })
        .collect()
}

/// What the modules of the package in the folder `package` use of each other.
fn arrows<'a>(root: &'a Source, package: &str, sources: &'a [Source]) -> Vec<Arrow<'a>> {
    let src = format!("{package}src/");
    let modules: Vec<(&Source, Vec<&str>)> = sources
        .iter()
        .filter_map(|source| {
            let inside = source.path.strip_prefix(&src)?.strip_suffix(".rs")?;
            let path = inside.strip_suffix("/mod").unwrap_or(inside);
            (inside != "lib" && inside != "main").then(|| (source, path.split('/').collect()))
        })
        .collect();
    let names: BTreeSet<&str> = modules.iter().map(|(_, path)| path[0]).collect();
    let exported = exports(&root.text, &names);
    let tests: Vec<Vec<&str>> = modules
        .iter()
        .chain([&(root, Vec::new())])
        .flat_map(|(source, path)| test_modules(&source.text).map(|name| [&path[..], &[name]].concat()))
        .collect();
    let mut arrows = Vec::new();
    for (source, path) in &modules {
        if tests.iter().any(|test| path.starts_with(test)) {
            continue;
        }
        for (line, name) in names_from_root(&source.text, path.len()) {
            let to = exported.get(name).copied().or_else(|| names.get(name).copied());
            if let Some(to) = to.filter(|to| *to != path[0]) {
                arrows.push(Arrow {
                    from: path[0],
                    to,
                    file: &source.path,
                    line,
                });
            }
        }
    }
    arrows
}

/// Names that the root of a crate lends from its modules: `pub use error::Error` makes `crate::Error` one of `error`.
fn exports<'a>(root: &'a str, modules: &BTreeSet<&'a str>) -> BTreeMap<&'a str, &'a str> {
    let mut exported = BTreeMap::new();
    for (at, _) in root.match_indices("use ") {
        let path = root[at + 4..]
            .trim_start_matches("crate::")
            .trim_start_matches("self::");
        let module = first_name(path);
        if let (Some(module), Some(rest)) = (modules.get(module), path[module.len()..].strip_prefix("::")) {
            exported.extend(heads(rest).into_iter().map(|name| (name, *module)));
        }
    }
    exported
}

/// The modules of a file that only tests have.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("#[cfg(test)]\n")
        .filter_map(|(at, attribute)| {
            let item = text[at + attribute.len()..].trim_start_matches("pub(crate) ");
            let (name, _) = item.strip_prefix("mod ")?.split_once(';')?;
            (first_name(name) == name).then_some(name)
        })
}

/// What a file names at the root of its crate, with lines; `depth` is that of the file's module.
fn names_from_root(text: &str, depth: usize) -> Vec<(usize, &str)> {
    // Tests come last in a file.
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut found = Vec::new();
    for start in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in code.match_indices(&start) {
            let (before, after) = (&code[..at], &code[at + start.len()..]);
            let in_path = before.ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
            let in_comment = before.rsplit('\n').next().is_some_and(|line| line.contains("//"));
            if !in_path && !in_comment {
                let line = before.matches('\n').count() + 1;
                found.extend(heads(after).into_iter().map(|name| (line, name)));
            }
        }
    }
    found
}

/// The first name of a path, or of each path of a group.
fn heads(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![first_name(path)];
    };
    let mut depth = 0;
    let mut heads = Vec::new();
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                heads.push(first_name(group[start..at].trim_start()));
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => continue,
        }
        if c == '}' && start == at + 1 {
            break;
        }
    }
    heads
}

/// The identifier at the start, which may be empty.
fn first_name(path: &str) -> &str {
    let end = path.find(|c: char| c != '_' && !c.is_alphanumeric());
    &path[..end.unwrap_or(path.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offences of a package with these files.
    fn offences(package: &str, files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(name, text)| Source::new(format!("{package}src/{name}.rs"), *text))
            .collect();
        check(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_module_may_not_use_one_that_comes_later() {
        let file = "crates/hash-comparison/src/record/files.rs";
        for (text, line) in [
            ("use crate::report;\n", 1),
            (
                "use crate::keys::KeySet;\n\nfn f() {\n    crate::report::page();\n}\n",
                4,
            ),
            (
                "use crate::{\n    names::{self, report},\n    report::{self, chart},\n};\n",
                1,
            ),
            ("use super::super::report::page;\n", 1),
        ] {
            let mut files = vec![
                ("lib", ""),
                ("names", ""),
                ("record/files", text),
                ("report/mod", ""),
            ];
            assert_eq!(
                offences(ORDERED, &files),
                [format!(
                    "{file}:{line}: modules: record may not use report, which comes later"
                )]
            );
            files[2].0 = "run/compare";
            assert!(offences(ORDERED, &files).is_empty(), "{text}");
        }
        assert_eq!(
            offences(
                ORDERED,
                &[("lib", ""), ("names", "use crate::odds;\n"), ("odds", "")]
            ),
            [
                "crates/hash-comparison/src/names.rs:1: modules: odds has no entry in xtask/src/tidy/modules.rs"
            ]
        );
    }

    #[test]
    fn modules_that_need_each_other_are_found() {
        let circle = [
            ("lib", "pub use error::Error;\n"),
            ("error", "use crate::params;\n"),
            ("params", "use super::filter;\n"),
            ("filter", "use crate::{Error, Other};\n"),
            ("apart", "use crate::{error, filter};\n"),
        ];
        assert_eq!(
            offences("crates/x/", &circle),
            [
                "crates/x/src/error.rs:1: modules: a circle: error uses params, which leads back",
                "crates/x/src/filter.rs:1: modules: a circle: filter uses error, which leads back",
                "crates/x/src/params.rs:1: modules: a circle: params uses filter, which leads back",
            ]
        );
    }

    #[test]
    fn tests_comments_and_what_lies_deeper_are_no_arrows() {
        let harmless = [
            ("lib", "#[cfg(test)]\nmod samples;\n"),
            ("below", "#[cfg(test)]\nmod tests {\n    use crate::above;\n}\n"),
            (
                "below/inner",
                "// See crate::above.\nuse super::above;\nuse other_crate::above;\n",
            ),
            ("below/above", "#[cfg(test)]\nmod tests;\n"),
            ("below/above/tests", "use crate::above;\n"),
            ("samples", "use crate::above;\n"),
            ("above", "use crate::below;\n#[cfg(test)]\nuse crate::samples;\n"),
        ];
        assert_eq!(offences("crates/x/", &harmless), [""; 0]);
    }
}
