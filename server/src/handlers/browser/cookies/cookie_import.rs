//! Cookies on their way into a session, from wherever: what is not allowed is
//! left out, the rest is put, and counted by domain.

use std::collections::{BTreeMap, HashSet};

use browse_proto::v1;

use super::{CookieHostRules, admission, set};
use crate::session_state::count_noun;
use browse_base::Result;
use browse_chromium::{Cookie, CookieJar, unix_seconds};

/// Domains that a summary names; the others are in the data.
const MAX_SUMMARY_DOMAINS: usize = 40;

/// What became of the cookies of one domain.
#[derive(Clone, Copy, Default)]
pub struct DomainImportCounts {
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
pub struct CookieImport {
    cookies: Vec<Cookie>,
    domains: BTreeMap<String, DomainImportCounts>,
    problems: Vec<String>,
}

impl CookieImport {
    /// Adds a cookie as somebody wrote it.
    pub fn add(&mut self, cookie: Cookie, admission: &CookieHostRules) {
        let Some(domain) = admission::normalize_domain(&cookie.domain) else {
            return self.add_problem("a domain is not a host");
        };
        let cookie = Cookie { domain, ..cookie };
        let counts = self.count(&cookie.domain);
        counts.found += 1;
        if cookie.expires.is_some_and(|expires| expires <= unix_seconds()) {
            counts.expired += 1;
            return;
        }
        let fault = set::cookie_problem(&cookie).or(admission.check(cookie.host()).err());
        if let Some(fault) = fault {
            counts.refused += 1;
            let problem = format!("{}: {fault}", cookie.domain);
            return self.add_problem(&problem);
        }
        self.cookies.push(cookie);
    }

    /// Counts a cookie that is not to be taken in.
    pub fn count_found(&mut self, cookie: &Cookie) {
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
    pub fn add_unreadable(&mut self, domain: &str) {
        let counts = self.count(domain);
        counts.found += 1;
        counts.refused += 1;
    }

    /// Notes what is wrong with something that was left out.
    pub fn add_problem(&mut self, problem: &str) {
        if !self.problems.iter().any(|known| known == problem) {
            self.problems.push(problem.to_owned());
        }
    }

    /// Puts the cookies, and reads back which the browser has taken.
    pub async fn store(&mut self, jar: &CookieJar) -> Result<()> {
        jar.set(&self.cookies).await?;
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
        refused.iter().for_each(|problem| self.add_problem(problem));
        Ok(())
    }

    /// Cookies that the session has now.
    pub fn imported_count(&self) -> u32 {
        self.domains.values().map(|counts| counts.imported).sum()
    }

    /// Cookies that were left out.
    pub fn skipped_count(&self) -> u32 {
        self.domains.values().map(|counts| counts.expired + counts.refused).sum()
    }

    /// The counts, for the answer.
    pub fn domains(&self) -> Vec<v1::DomainCookies> {
        let row = |(domain, counts): (&String, &DomainImportCounts)| v1::DomainCookies {
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
        let (cookies, domains) =
            (count_noun(self.imported_count(), "cookie"), count_noun(domains, "domain"));
        let mut lines = vec![format!("imported {cookies} of {domains}")];
        for (domain, counts) in self.domains.iter().take(MAX_SUMMARY_DOMAINS) {
            let mut line = format!("{domain} {}", counts.imported);
            for (count, word) in [(counts.expired, "expired"), (counts.refused, "refused")] {
                if count > 0 {
                    line.push_str(&format!(", {count} {word}"));
                }
            }
            lines.push(line);
        }
        if self.domains.len() > MAX_SUMMARY_DOMAINS {
            lines.push(format!("and {} more domains", self.domains.len() - MAX_SUMMARY_DOMAINS));
        }
        lines.extend(self.problems.iter().take(MAX_SUMMARY_DOMAINS).cloned());
        lines.join("\n")
    }

    fn count(&mut self, domain: &str) -> &mut DomainImportCounts {
        self.domains.entry(domain.to_owned()).or_default()
    }
}
