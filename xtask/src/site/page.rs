//! Converts a Markdown page to HTML.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// A Markdown file.
pub(super) struct Page {
    /// Path from the root, with forward slashes.
    path: String,
    events: Vec<Event<'static>>,
    /// The anchors of its headings.
    anchors: BTreeSet<String>,
    title: String,
}

impl Page {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
        let mut events: Vec<Event<'static>> = parser.map(Event::into_static).collect();
        let (mut anchors, mut title) = (BTreeSet::new(), String::new());
        for start in 0..events.len() {
            if !matches!(events[start], Event::Start(Tag::Heading { .. })) {
                continue;
            }
            let words: String = events[start..]
                .iter()
                .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                .filter_map(|event| match event {
                    Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                    _ => None,
                })
                .collect();
            let slug = slug(&words);
            let mut anchor = slug.clone();
            for number in 1.. {
                if anchors.insert(anchor.clone()) {
                    break;
                }
                anchor = format!("{slug}-{number}");
            }
            if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                *id = Some(anchor.into());
            }
            if title.is_empty() {
                title = words;
            }
        }
        Self {
            path: path.to_owned(),
            events,
            anchors,
            title,
        }
    }

    /// Returns the page's path in the site.
    pub(super) fn place(&self) -> String {
        place(&self.path)
    }

    /// Returns the linked paths within the workspace, from the root.
    pub(super) fn targets(&self) -> BTreeSet<String> {
        let links = self.links();
        links
            .filter_map(|link| self.target(link))
            .map(|(path, _)| path)
            .collect()
    }

    /// Returns the broken links.
    pub(super) fn lost(&self, root: &Path, pages: &BTreeMap<String, Self>) -> Vec<String> {
        let is_lost = |link: &&str| {
            self.target(link)
                .is_some_and(|(path, anchor)| match pages.get(&page_of(&path, pages)) {
                    Some(page) => !anchor.is_empty() && !page.anchors.contains(anchor),
                    None => !root.join(path).exists(),
                })
        };
        self.links().filter(is_lost).map(str::to_owned).collect()
    }

    pub(super) fn html(
        &self,
        root: &Path,
        pages: &BTreeMap<String, Self>,
        sections: &[(&str, &str)],
    ) -> String {
        let up = "../".repeat(self.path.matches('/').count());
        let href = |path: &str, anchor: &str| {
            let page = page_of(path, pages);
            let place = match pages.contains_key(&page) {
                true => place(&page),
                false if root.join(path).is_dir() => format!("{path}/index.html"),
                false => path.to_owned(),
            };
            let anchor = if anchor.is_empty() {
                String::new()
            } else {
                format!("#{anchor}")
            };
            format!("{up}{place}{anchor}")
        };
        let events = self.events.iter().cloned().map(|mut event| {
            if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = &mut event
                && let Some((path, anchor)) = self.target(dest_url)
            {
                *dest_url = CowStr::from(href(&path, anchor));
            }
            event
        });
        let mut body = String::new();
        html::push_html(&mut body, events);
        let section = |(name, path): &(&str, &str)| format!("<a href=\"{}\">{name}</a>", href(path, ""));
        let sections: String = sections.iter().map(section).collect();
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
             <title>{}</title><link rel=\"stylesheet\" href=\"{up}style.css\"><nav>{sections}</nav><main>\n{body}</main></html>\n",
            self.title
        )
    }

    fn links(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.as_ref()),
            _ => None,
        })
    }

    /// Returns the path from the root and the anchor of a link; `None` for other sites and for links to Rust items.
    fn target<'l>(&self, link: &'l str) -> Option<(String, &'l str)> {
        if link.contains(':') {
            return None;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        if path.is_empty() {
            return Some((self.path.clone(), anchor));
        }
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        Some((parts.join("/"), anchor))
    }
}

/// Returns the page of a path, which may be a folder.
fn page_of(path: &str, pages: &BTreeMap<String, Page>) -> String {
    let readme = format!("{path}/README.md");
    if pages.contains_key(&readme) {
        readme
    } else {
        path.to_owned()
    }
}

/// Returns the path of a page in the site.
fn place(path: &str) -> String {
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.html"),
        None => format!("{}.html", path.strip_suffix(".md").unwrap_or(path)),
    }
}

/// Returns the anchor of a heading, by GitHub's rule.
fn slug(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading
        .to_lowercase()
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}
