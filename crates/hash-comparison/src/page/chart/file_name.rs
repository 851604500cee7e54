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

#[cfg(test)]
mod tests {
    use crate::page::chart::file_name::slugs;

    #[test]
    fn names_become_safe_and_stay_apart() {
        let names = [
            "app-accounts",
            "App Accounts",
            "app-accounts-2",
            "../../etc/passwd",
            "キー",
            "",
            "a\"<b>",
        ];
        let expected = "app-accounts app-accounts-2 app-accounts-2-2 etc-passwd keys keys-2 a-b";
        assert_eq!(slugs(names).join(" "), expected);
        assert!(slugs(["x".repeat(5_000).as_str()])[0].len() <= 80);
    }
}
