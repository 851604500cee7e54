//! File names derived from dataset names, which can be arbitrary file names.

/// Length limit of a slug in bytes; with chart and extension, far below the 255 that file systems allow.
const LONGEST: usize = 80;

/// Returns a different text of ASCII lower-case letters, digits and inner hyphens for each name.
///
/// The result depends only on the names and their order.
pub(crate) fn slugs<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let base = slug(name);
        let mut candidate = base.clone();
        let mut number = 2;
        while out.contains(&candidate) {
            candidate = format!("{base}-{number}");
            number += 1;
        }
        out.push(candidate);
    }
    out
}

fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-").to_ascii_lowercase();
    slug.truncate(LONGEST);
    match slug.trim_end_matches('-') {
        "" => "keys".to_owned(),
        slug => slug.to_owned(),
    }
}
