//! The pages under `docs` as a book: each is in the table of contents, and no link of a page leads
//! nowhere. With an `mdbook` program at hand the book is also built.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use self::markdown::{Link, Page};
use crate::failure::Failure;
use crate::process::{capture, run};
use crate::workspace::Workspace;

const FOLDER: &str = "docs";
const SUMMARY: &str = "docs/SUMMARY.md";
const GUIDES: &str = "docs/guides/";

/// Names the guides whose code is compiled with the documentation tests.
const COMPILED: &str = "crates/session/src/book.rs";

/// Checks the pages, then builds the book into `target/book` if there is a program for it.
pub(crate) fn book(workspace: &Workspace) -> Result<(), Failure> {
    check(workspace)?;
    if capture(Command::new("mdbook").arg("--version")).is_err() {
        println!("there is no `mdbook` on the PATH, so the book was checked and not built");
        return Ok(());
    }
    let folder = workspace.target().join("book");
    run(Command::new("mdbook")
        .args(["build", FOLDER, "--dest-dir"])
        .arg(&folder)
        .current_dir(workspace.root()))?;
    println!("{}", folder.join("index.html").display());
    Ok(())
}

/// Only the checks.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let files = workspace.files()?;
    let mut pages = BTreeMap::new();
    for path in files.iter().filter(|path| is_page(path)) {
        pages.insert(path.clone(), Page::of(&workspace.read(path)?));
    }
    let repository = Repository::new(&files, &pages);
    let mut findings = repository.contents();
    findings.extend(repository.links());
    findings.extend(not_compiled(&pages, &workspace.read(COMPILED)?));
    Failure::unless_empty("the book is not whole", &findings)?;
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    println!("{} pages, {links} links", pages.len());
    Ok(())
}

/// The pages of the book, those at the root, and the front page of each crate.
fn is_page(path: &str) -> bool {
    let mut names = path.split('/');
    let (first, second) = (names.next(), names.next());
    let is_front_page = || path.ends_with("/README.md") && path.split('/').count() == 3;
    path.ends_with(".md")
        && match first {
            Some(FOLDER) => true,
            Some("crates") => is_front_page(),
            _ => second.is_none(),
        }
}

struct Repository<'a> {
    /// All files and all folders.
    paths: BTreeSet<&'a str>,
    pages: &'a BTreeMap<String, Page>,
}

impl<'a> Repository<'a> {
    fn new(files: &'a [String], pages: &'a BTreeMap<String, Page>) -> Self {
        let mut paths = BTreeSet::from([""]);
        for file in files {
            paths.insert(file);
            let ends = file.match_indices('/').map(|(end, _)| end);
            paths.extend(ends.filter_map(|end| file.get(..end)));
        }
        Self { paths, pages }
    }

    /// Every page of the book is in the table of contents, once, and nothing else is.
    fn contents(&self) -> Vec<String> {
        let Some(summary) = self.pages.get(SUMMARY) else {
            return vec![format!("there is no {SUMMARY}")];
        };
        let mut findings = Vec::new();
        let mut listed = BTreeSet::new();
        for link in &summary.links {
            let (path, _) = link.parts();
            let is_page = |path: &String| path != SUMMARY && self.pages.contains_key(path);
            match resolve(SUMMARY, path).filter(is_page) {
                Some(path) if !listed.insert(path.clone()) => {
                    findings.push(format!("{SUMMARY}:{} lists {path} again", link.line));
                }
                Some(_) => {}
                None => findings.push(format!(
                    "{SUMMARY}:{} lists `{}`, which is no page",
                    link.line, link.target
                )),
            }
        }
        let in_book = |path: &&String| is_in_book(path) && *path != SUMMARY;
        let missing = self.pages.keys().filter(in_book);
        let missing = missing.filter(|path| !listed.contains(*path));
        findings.extend(missing.map(|path| format!("{SUMMARY} does not list {path}")));
        findings
    }

    fn links(&self) -> Vec<String> {
        let mut findings = Vec::new();
        for (path, page) in self.pages {
            for link in &page.links {
                if let Some(fault) = self.fault(path, link) {
                    findings.push(format!("{path}:{} {fault}", link.line));
                }
            }
        }
        findings
    }

    /// What is wrong with a link, if anything is.
    fn fault(&self, page: &str, link: &Link) -> Option<String> {
        let target = &link.target;
        if link.is_external() || (page.starts_with("crates/") && link.is_item()) {
            return None;
        }
        let (path, anchor) = link.parts();
        let Some(path) = resolve(page, path) else {
            return Some(format!("links to {target}, outside of the repository"));
        };
        if !self.paths.contains(path.as_str()) {
            return Some(format!("links to {target}, which is not there"));
        }
        if is_in_book(page) && !is_in_book(&path) {
            return Some(format!(
                "links to {target}, which is not in the book: name it as `code`"
            ));
        }
        let anchor = anchor?;
        let has_anchor = self
            .pages
            .get(&path)
            .is_some_and(|page| page.anchors.contains(anchor));
        (!has_anchor).then(|| format!("links to {target}, but {path} has no such heading"))
    }
}

/// Code in guides is for copying, so all of it is compiled.
fn not_compiled(pages: &BTreeMap<String, Page>, list: &str) -> Vec<String> {
    let guides = pages.keys().filter_map(|path| path.strip_prefix(GUIDES));
    let missing = guides.filter(|file| !list.contains(&format!("\"{file}\"")));
    missing
        .map(|file| format!("{GUIDES}{file} is not compiled: name it in {COMPILED}"))
        .collect()
}

fn is_in_book(path: &str) -> bool {
    path == FOLDER
        || path
            .strip_prefix(FOLDER)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// The path from the root that `relative` means on `page`; `None` where it leaves the root.
fn resolve(page: &str, relative: &str) -> Option<String> {
    if relative.is_empty() {
        return Some(page.to_owned());
    }
    let mut names: Vec<&str> = page.split('/').collect();
    names.pop();
    for name in relative.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in a repository of these files.
    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let pages: BTreeMap<_, _> = files
            .iter()
            .filter(|(path, _)| is_page(path))
            .map(|(path, text)| ((*path).to_owned(), Page::of(text)))
            .collect();
        let files: Vec<_> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let repository = Repository::new(&files, &pages);
        let mut findings = repository.contents();
        findings.extend(repository.links());
        findings
    }

    #[test]
    fn a_whole_book_has_no_findings() {
        let found = findings(&[
            (
                "README.md",
                "[docs](docs) [licence](LICENSE-MIT) [a](docs/a.md#two-words)",
            ),
            ("LICENSE-MIT", ""),
            ("docs/SUMMARY.md", "- [A](a.md)\n- [B](more/b.md)"),
            (
                "docs/a.md",
                "# A\n\n## Two words\n\n[b](more/b.md) [here](#two-words)",
            ),
            (
                "docs/more/b.md",
                "[a](../a.md#a) [web](https://example.org/x#y)",
            ),
            (
                "crates/one/README.md",
                "[it](One::new) [book](../../docs/a.md)",
            ),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn a_page_that_is_not_listed_and_a_listed_one_that_is_none_are_found() {
        let found = findings(&[
            (
                "docs/SUMMARY.md",
                "- [A](a.md)\n- [again](./a.md)\n- [draft]()\n- [C](c.md)",
            ),
            ("docs/a.md", ""),
            ("docs/b.md", ""),
        ]);
        assert_eq!(
            found,
            [
                "docs/SUMMARY.md:2 lists docs/a.md again",
                "docs/SUMMARY.md:3 lists ``, which is no page",
                "docs/SUMMARY.md:4 lists `c.md`, which is no page",
                "docs/SUMMARY.md does not list docs/b.md",
                "docs/SUMMARY.md:4 links to c.md, which is not there",
            ]
        );
    }

    #[test]
    fn a_book_without_contents_is_found() {
        assert_eq!(
            findings(&[("README.md", "")]),
            ["there is no docs/SUMMARY.md"]
        );
    }

    #[test]
    fn links_that_lead_nowhere_are_found_with_their_line() {
        let found = findings(&[
            ("ARCHITECTURE.md", "\n[x](docs/no.md)\n[up](../x.md)"),
            ("crates/one/README.md", "[gone](../two/README.md)"),
            ("docs/SUMMARY.md", "[A](a.md)"),
            ("docs/a.md", "# A\n[no](#b)\n[out](../ARCHITECTURE.md)"),
        ]);
        assert_eq!(
            found,
            [
                "ARCHITECTURE.md:2 links to docs/no.md, which is not there",
                "ARCHITECTURE.md:3 links to ../x.md, outside of the repository",
                "crates/one/README.md:1 links to ../two/README.md, which is not there",
                "docs/a.md:2 links to #b, but docs/a.md has no such heading",
                "docs/a.md:3 links to ../ARCHITECTURE.md, which is not in the book: name it as \
                 `code`",
            ]
        );
    }

    #[test]
    fn a_guide_that_is_not_compiled_is_found() {
        let pages = ["docs/a.md", "docs/guides/b.md", "docs/guides/c.md"];
        let pages = pages.map(|path| (path.to_owned(), Page::default()));
        assert_eq!(
            not_compiled(&BTreeMap::from(pages), "guides! { b \"b.md\" }"),
            ["docs/guides/c.md is not compiled: name it in crates/session/src/book.rs"]
        );
    }

    #[test]
    fn pages_are_those_of_the_book_the_root_and_the_fronts_of_crates() {
        for path in [
            "README.md",
            "docs/a.md",
            "docs/b/c.md",
            "crates/one/README.md",
        ] {
            assert!(is_page(path), "{path}");
        }
        for path in [
            "docs/book.toml",
            "crates/one/tests/README.md",
            "crates/one/NOTES.md",
            "fuzz/README.md",
        ] {
            assert!(!is_page(path), "{path}");
        }
    }
}
