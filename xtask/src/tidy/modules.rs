//! Rules for the modules of a crate: a module of the comparison uses only the modules before it, and sibling modules
//! never depend on each other in a circle. Tests are exempt.

use std::collections::{BTreeMap, BTreeSet};

use super::{Offence, Source};

/// The modules of the comparison; each may use those before it. Add a new module here.
const ORDER: &str = "program names record keys functions chance vocabulary words values clock questions advice page run commands comparison";
/// The crate of the ordered modules.
const ORDERED: &str = "crates/hash-comparison/";

/// The folder of questions, each of which knows no other, and the modules in it that are no questions.
const QUESTIONS: (&str, &[&str]) = (ORDERED, &["questions"]);
const HELPERS: [&str; 3] = ["files", "on_dataset", "shades"];

/// The one crate whose modules may depend on each other: the choice of a kernel lies between algorithms and
/// instructions.
const ENTWINED: (&str, &[&str]) = ("crates/filter-kernels/", &[]);

/// A module's use of a sibling.
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
        for (room, arrows) in arrows(root, package, sources) {
            let room = (package, &room[..]);
            let rule = |arrow: &Arrow<'_>| match room {
                (ORDERED, []) => order(arrow),
                ENTWINED => None,
                QUESTIONS => apart(arrow).or_else(|| circle(arrow, &arrows)),
                _ => circle(arrow, &arrows),
            };
            let broken = arrows.iter().filter_map(|arrow| Some((arrow, rule(arrow)?)));
            offences.extend(broken.map(|(arrow, rule)| Offence::new(arrow.file, arrow.line, rule)));
        }
    }
    offences
}

/// A module uses no later one.
fn order(Arrow { from, to, .. }: &Arrow<'_>) -> Option<String> {
    let place = |module: &str| ORDER.split(' ').position(|known| known == module);
    match (place(from), place(to)) {
        (Some(own), Some(used)) if used < own => None,
        (Some(_), Some(_)) => Some(format!("modules: {from} may not use {to}, which comes later")),
        (place, _) => {
            let unknown = if place.is_none() { from } else { to };
            Some(format!(
                "modules: {unknown} has no entry in xtask/src/tidy/modules.rs"
            ))
        }
    }
}

/// A question uses no other.
fn apart(Arrow { from, to, .. }: &Arrow<'_>) -> Option<String> {
    let is_fine = HELPERS.contains(from) || HELPERS.contains(to);
    let rule = format!("modules: the question {from} uses {to}: what several say together is in advice");
    (!is_fine).then_some(rule)
}

/// A module lies on no circle.
fn circle(Arrow { from, to, .. }: &Arrow<'_>, all: &[Arrow<'_>]) -> Option<String> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![*to]);
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(
                all.iter()
                    .filter(|arrow| arrow.from == module)
                    .map(|arrow| arrow.to),
            );
        }
    }
    let leads_back = reached.contains(from);
    leads_back.then(|| format!("modules: a circle: {from} uses {to}, which leads back"))
}

/// Finds the arrows between sibling modules, by their parent, once in each file. `package` is a folder.
fn arrows<'a>(
    root: &'a Source,
    package: &str,
    sources: &'a [Source],
) -> BTreeMap<Vec<&'a str>, Vec<Arrow<'a>>> {
    let src = format!("{package}src/");
    let modules: BTreeMap<Vec<&str>, &Source> = sources
        .iter()
        .filter_map(|source| {
            let inside = source.path.strip_prefix(&src)?.strip_suffix(".rs")?;
            let path = inside.strip_suffix("/mod").unwrap_or(inside);
            (inside != "lib" && inside != "main").then(|| (path.split('/').collect(), source))
        })
        .chain([(Vec::new(), root)])
        .collect();
    let is_module = |path: &[&str]| modules.keys().any(|module| module.starts_with(path));
    let mut lent_names = BTreeMap::new();
    let mut tests = Vec::new();
    for (path, source) in &modules {
        tests.extend(test_modules(&source.text).map(|name| [path, &[name][..]].concat()));
        for used in lent(&source.text, path).filter(|used| is_module(&used[..=path.len()])) {
            lent_names.insert([path, &used[used.len() - 1..]].concat(), used);
        }
    }
    let mut arrows: BTreeMap<_, Vec<Arrow<'_>>> = BTreeMap::new();
    for (path, source) in &modules {
        if tests.iter().any(|test| path.starts_with(test)) {
            continue;
        }
        for (line, used) in uses(&source.text, path) {
            let used = lent_names
                .get(&used)
                .filter(|_| !is_module(&used))
                .unwrap_or(&used);
            let common = path.iter().zip(used).take_while(|(a, b)| a == b).count();
            let (Some(&from), Some(&to)) = (path.get(common), used.get(common)) else {
                continue;
            };
            if is_module(&used[..=common]) {
                let file = &source.path;
                let room = arrows.entry(path[..common].to_vec()).or_default();
                if !room
                    .iter()
                    .any(|arrow| (arrow.from, arrow.to, arrow.file) == (from, to, file))
                {
                    room.push(Arrow { from, to, file, line });
                }
            }
        }
    }
    arrows
}

/// Returns the names that a module re-exports from its children: with `pub use error::Error` in a crate's root,
/// `crate::Error` belongs to `error`.
fn lent<'a>(text: &'a str, path: &[&'a str]) -> impl Iterator<Item = Vec<&'a str>> {
    let mut found = Vec::new();
    for (at, start) in text.match_indices("use ") {
        let tree = text[at + start.len()..].trim_start_matches("self::");
        branches(tree, path, &mut found);
    }
    let deeper = path.len() + 1;
    found.into_iter().filter(move |used| used.len() > deeper)
}

/// Returns a file's test-only modules.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("#[cfg(test)]\n")
        .filter_map(|(at, attribute)| {
            let item = text[at + attribute.len()..].trim_start_matches("pub(crate) ");
            let (name, _) = item.strip_prefix("mod ")?.split_once(';')?;
            (first_name(name) == name).then_some(name)
        })
}

/// Returns the paths that a file uses in its crate, from the crate's root and with lines. `path` is the path of the
/// file's module.
fn uses<'a>(text: &'a str, path: &[&'a str]) -> impl Iterator<Item = (usize, Vec<&'a str>)> {
    // Tests come last in a file.
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut found = Vec::new();
    let supers = (1..=path.len()).map(|up| ("super::".repeat(up), path.len() - up));
    let starts = [("crate::".to_owned(), 0), ("self::".to_owned(), path.len())];
    for (start, kept) in starts.into_iter().chain(supers) {
        for (at, _) in code.match_indices(&start) {
            let (before, after) = (&code[..at], &code[at + start.len()..]);
            let in_path = before.ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
            let in_comment = before.rsplit('\n').next().is_some_and(|line| line.contains("//"));
            if !in_path && !in_comment && !after.starts_with("super::") {
                let line = before.matches('\n').count() + 1;
                let mut paths = Vec::new();
                branches(after, &path[..kept], &mut paths);
                found.extend(paths.into_iter().map(|path| (line, path)));
            }
        }
    }
    found.into_iter()
}

/// Collects the paths of a tree like `a::{b, c::{self, D}}` below `stem`, and returns the text after the tree.
fn branches<'a>(tree: &'a str, stem: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> &'a str {
    if let Some(mut rest) = tree.strip_prefix('{') {
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            let after = branches(rest, stem, paths).trim_start();
            // ` as name` is skipped with the separator.
            let Some(end) = after.find([',', '}']) else {
                return "";
            };
            rest = after[end..].strip_prefix(',').unwrap_or(&after[end..]);
        }
    }
    let name = first_name(tree);
    let path = match name {
        "" | "self" => stem.to_vec(),
        name => [stem, &[name]].concat(),
    };
    let rest = &tree[name.len()..];
    match rest.strip_prefix("::") {
        Some(deeper) => branches(deeper, &path, paths),
        None => {
            paths.push(path);
            rest
        }
    }
}

/// Returns the identifier at the start, which may be empty.
fn first_name(path: &str) -> &str {
    let end = path.find(|c: char| c != '_' && !c.is_alphanumeric());
    &path[..end.unwrap_or(path.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offences(package: &str, files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(name, text)| Source::new(format!("{package}src/{name}.rs"), *text))
            .collect();
        let mut found: Vec<String> = check(&sources).iter().map(ToString::to_string).collect();
        found.sort();
        found
    }

    #[test]
    fn a_module_may_not_use_one_that_comes_later() {
        let file = "crates/hash-comparison/src/record/files.rs";
        for (text, line) in [
            ("use crate::page;\n", 1),
            (
                "use crate::keys::KeySet;\n\nfn f() {\n    crate::page::page();\n}\n",
                4,
            ),
            (
                "use crate::{\n    names::{self, page},\n    page::{self, chart},\n};\n",
                1,
            ),
            ("use super::super::page::page;\n", 1),
        ] {
            let mut files = vec![
                ("lib", ""),
                ("names", ""),
                ("record/files", text),
                ("page/mod", ""),
            ];
            assert_eq!(
                offences(ORDERED, &files),
                [format!(
                    "{file}:{line}: modules: record may not use page, which comes later"
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
    fn a_question_knows_no_other() {
        let files = [
            ("lib", ""),
            ("questions/mod", "pub use shards::OddRow;\n"),
            ("questions/shards", "use super::on_dataset;\n"),
            ("questions/on_dataset", ""),
            ("questions/places", "use crate::questions::{Records, OddRow};\n"),
        ];
        assert_eq!(
            offences(ORDERED, &files),
            [
                "crates/hash-comparison/src/questions/places.rs:1: modules: the question places uses shards: what several \
                 say together is in advice"
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
    fn so_are_those_deeper_down() {
        let mut files = [
            ("lib", ""),
            ("room/mod", "pub use first::{First as _, deep::Deep};\n"),
            (
                "room/first/mod",
                "use crate::{a, room::{b::B, second::{self, Second}}};\n",
            ),
            ("room/first/deep", "use super::super::apart;\n"),
            ("room/second", "use super::Deep;\n"),
            ("room/apart", "use super::{first, second};\n"),
        ];
        assert_eq!(
            offences("crates/x/", &files),
            [
                "crates/x/src/room/apart.rs:1: modules: a circle: apart uses first, which leads back",
                "crates/x/src/room/apart.rs:1: modules: a circle: apart uses second, which leads back",
                "crates/x/src/room/first/deep.rs:1: modules: a circle: first uses apart, which leads back",
                "crates/x/src/room/first/mod.rs:1: modules: a circle: first uses second, which leads back",
                "crates/x/src/room/second.rs:1: modules: a circle: second uses first, which leads back",
            ]
        );
        files[3].1 = "";
        files[4].1 = "use super::Room;\n";
        assert!(offences("crates/x/", &files).is_empty());
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
