//! Cookies on their way into a session, from wherever: what is not allowed is
//! left out, the rest is put, and counted by domain.

use std::collections::{BTreeMap, HashSet};

use browse_proto::v1;

use super::{Admission, admission, set};
use crate::{
    chromium::{Cookie, CookieJar, now},
    error::Result,
};

/// Domains that a summary names; the others are in the data.
const MOST_LINES: usize = 40;

/// What became of the cookies of one domain.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// There were.
    pub found: u32,
    /// The session has now.
    pub imported: u32,
    /// Had ended.
    pub expired: u32,
    /// Not allowed, not taken by the browser, or unreadable.
    pub refused: u32,
}

/// Cookies to be taken in.
#[derive(Default)]
pub struct Intake {
    cookies: Vec<Cookie>,
    domains: BTreeMap<String, Counts>,
    problems: Vec<String>,
}

impl Intake {
    /// Adds a cookie as somebody wrote it.
    pub fn add(&mut self, cookie: Cookie, admission: &Admission) {
        let Some(domain) = admission::domain(&cookie.domain) else {
            return self.reject("a domain is no host");
        };
        let cookie = Cookie { domain, ..cookie };
        let counts = self.count(&cookie.domain);
        counts.found += 1;
        if cookie.expires.is_some_and(|expires| expires <= now()) {
            counts.expired += 1;
            return;
        }
        let fault = set::fault(&cookie).or(admission.check(cookie.host()).err());
        if let Some(fault) = fault {
            counts.refused += 1;
            let problem = format!("{}: {fault}", cookie.domain);
            return self.reject(&problem);
        }
        self.cookies.push(cookie);
    }

    /// Counts a cookie that is not to be taken in.
    pub fn see(&mut self, cookie: &Cookie) {
        self.count(&cookie.domain).found += 1;
    }

    /// The cookies that are to be taken in: for tests.
    #[cfg(test)]
    pub fn staged(&self) -> &[Cookie] {
        &self.cookies
    }

    /// Whether no cookie is to be taken in.
    pub fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }

    /// Notes a cookie of `domain` that cannot be read.
    pub fn unreadable(&mut self, domain: &str) {
        let counts = self.count(domain);
        counts.found += 1;
        counts.refused += 1;
    }

    /// Notes what is wrong with something that was left out.
    pub fn reject(&mut self, problem: &str) {
        if !self.problems.iter().any(|known| known == problem) {
            self.problems.push(problem.to_owned());
        }
    }

    /// Puts the cookies, and reads back which the browser has taken.
    pub async fn put(&mut self, jar: &CookieJar) -> Result<()> {
        jar.put(&self.cookies).await?;
        let kept = jar.all().await?;
        let kept: HashSet<_> = kept.iter().map(|cookie| (cookie.key(), &cookie.value)).collect();
        let mut refused = Vec::new();
        for cookie in &self.cookies {
            let taken = kept.contains(&(cookie.key(), &cookie.value));
            let counts = self.domains.entry(cookie.domain.clone()).or_default();
            match taken {
                true => counts.imported += 1,
                false => {
                    counts.refused += 1;
                    refused.push(format!("{}: the browser does not take a cookie", cookie.domain));
                }
            }
        }
        refused.iter().for_each(|problem| self.reject(problem));
        Ok(())
    }

    /// Cookies that the session has now.
    pub fn imported(&self) -> u32 {
        self.domains.values().map(|counts| counts.imported).sum()
    }

    /// Cookies that were left out.
    pub fn left_out(&self) -> u32 {
        self.domains.values().map(|counts| counts.expired + counts.refused).sum()
    }

    /// The counts, for the answer.
    pub fn domains(&self) -> Vec<v1::DomainCookies> {
        let row = |(domain, counts): (&String, &Counts)| v1::DomainCookies {
            domain: domain.clone(),
            found: counts.found,
            imported: counts.imported,
            expired: counts.expired,
            refused: counts.refused,
        };
        self.domains.iter().map(row).collect()
    }

    /// What is wrong with what was left out.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The counts in words, a line for each domain.
    pub fn summary(&self) -> String {
        let domains = self.domains.values().filter(|counts| counts.imported > 0).count() as u32;
        let (cookies, domains) = (words(self.imported(), "cookie"), words(domains, "domain"));
        let mut lines = vec![format!("imported {cookies} of {domains}")];
        for (domain, counts) in self.domains.iter().take(MOST_LINES) {
            let mut line = format!("{domain} {}", counts.imported);
            for (count, word) in [(counts.expired, "expired"), (counts.refused, "refused")] {
                if count > 0 {
                    line.push_str(&format!(", {count} {word}"));
                }
            }
            lines.push(line);
        }
        if self.domains.len() > MOST_LINES {
            lines.push(format!("and {} more domains", self.domains.len() - MOST_LINES));
        }
        lines.extend(self.problems.iter().take(MOST_LINES).cloned());
        lines.join("\n")
    }

    fn count(&mut self, domain: &str) -> &mut Counts {
        self.domains.entry(domain.to_owned()).or_default()
    }
}

/// `1 cookie`, `2 cookies`.
pub fn words(count: u32, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
