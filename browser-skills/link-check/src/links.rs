//! Which links there are, and what became of them. No browser is needed here.

use crate::browse_sdk::Json;

/// The links of a page.
#[derive(Debug, Default)]
pub struct Found {
    /// Address of the page.
    pub url: String,
    /// Those to check.
    pub links: Vec<Link>,
    /// How many there are.
    pub all: usize,
}

/// A link, and what became of it.
#[derive(Debug, PartialEq)]
pub struct Link {
    pub url: String,
    pub text: String,
    pub outcome: Outcome,
}

/// What became of a link.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Unchecked,
    /// It opened, in the end at `to`; a file has no status.
    Opened {
        status: Option<u32>,
        to: String,
    },
    Failed {
        reason: String,
    },
}

/// The links that lead to another page, each address once.
pub fn unique(url: &str, links: impl Iterator<Item = (String, String)>, most: usize) -> Found {
    let mut found = Found { url: url.to_owned(), ..Found::default() };
    let mut seen = vec![bare(url).to_owned()];
    for (href, text) in links {
        let href = bare(&href);
        let is_web = ["http://", "https://"].iter().any(|scheme| href.starts_with(scheme));
        if !is_web || seen.iter().any(|known| known == href) {
            continue;
        }
        seen.push(href.to_owned());
        found.all += 1;
        if found.links.len() < most {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            found.links.push(Link { url: href.to_owned(), text, outcome: Outcome::Unchecked });
        }
    }
    found
}

/// An address without its fragment.
fn bare(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

impl Found {
    /// The answer of the skill.
    pub fn report(&self) -> Json {
        let (mut fine, mut broken, mut redirected) = (0, Vec::new(), Vec::new());
        for link in &self.links {
            match &link.outcome {
                Outcome::Unchecked => {}
                Outcome::Opened { status, to } if status.is_none_or(|status| status < 400) => {
                    fine += 1;
                    if bare(to) != link.url && !to.is_empty() {
                        redirected
                            .push(Json::object([("url", (&link.url).into()), ("to", to.into())]));
                    }
                }
                // A browser goes on to a file by saving it, and stays where it is.
                Outcome::Failed { reason } if reason == "NAVIGATION_DOWNLOAD" => fine += 1,
                Outcome::Opened { status, .. } => broken.push(row(link, *status, None)),
                Outcome::Failed { reason } => broken.push(row(link, None, Some(reason))),
            }
        }
        let unchecked = self.links.iter().filter(|link| link.outcome == Outcome::Unchecked).count();
        Json::object([
            ("url", (&self.url).into()),
            ("links", self.all.into()),
            ("checked", (self.links.len() - unchecked).into()),
            ("left_out", (self.all - self.links.len()).into()),
            ("fine", Json::from(fine)),
            ("broken", Json::List(broken)),
            ("redirected", Json::List(redirected)),
        ])
    }
}

fn row(link: &Link, status: Option<u32>, reason: Option<&String>) -> Json {
    Json::object([
        ("url", (&link.url).into()),
        ("text", (&link.text).into()),
        ("status", status.into()),
        ("reason", reason.map(String::as_str).into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::{unique, Outcome};

    const PAGE: &str = include_str!("../fixtures/links.txt");

    fn links() -> impl Iterator<Item = (String, String)> {
        let rows = PAGE.lines().filter_map(|line| line.split_once(' '));
        rows.map(|(href, text)| (href.to_owned(), text.to_owned()))
    }

    #[test]
    fn addresses_count_once_without_fragment_and_scheme() {
        let found = unique("https://a.example/", links(), 100);
        let urls: Vec<_> = found.links.iter().map(|link| link.url.as_str()).collect();
        let wanted = [
            "https://a.example/b",
            "http://c.example/?q=1",
            "https://a.example/d.pdf",
            "https://gone.example/",
        ];
        assert_eq!(urls, wanted);
        assert_eq!(found.links[0].text, "The b page");
        assert_eq!(found.all, 4);
    }

    #[test]
    fn a_limit_leaves_out_and_says_how_many() {
        let found = unique("https://a.example/", links(), 1);
        assert_eq!(found.report()["left_out"].as_i64(), Some(3));
        assert_eq!(found.report()["checked"].as_i64(), Some(0));
    }

    #[test]
    fn the_report_tells_broken_from_moved() {
        let mut found = unique("https://a.example/", links(), 100);
        let opened = |status, to: &str| Outcome::Opened { status, to: to.to_owned() };
        found.links[0].outcome = opened(Some(404), "https://a.example/b");
        found.links[1].outcome = opened(Some(200), "https://c.example/?q=1");
        found.links[2].outcome = Outcome::Failed { reason: "NAVIGATION_DOWNLOAD".to_owned() };
        found.links[3].outcome = Outcome::Failed { reason: "NAVIGATION_FAILED".to_owned() };
        let report = found.report();
        assert_eq!(
            report["broken"].to_string(),
            r#"[{"url":"https://a.example/b","text":"The b page","status":404,"reason":null},{"url":"https://gone.example/","text":"Gone","status":null,"reason":"NAVIGATION_FAILED"}]"#
        );
        assert_eq!(
            report["redirected"].to_string(),
            r#"[{"url":"http://c.example/?q=1","to":"https://c.example/?q=1"}]"#
        );
        assert_eq!((report["fine"].as_i64(), report["checked"].as_i64()), (Some(2), Some(4)));
    }
}
