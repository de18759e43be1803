//! Imports cookies from another browser of this machine: lists what there is,
//! and takes over what is asked for by name.

use std::{env, path::PathBuf};

use browse_proto::{Reason, v1};
use tokio::time::Instant;

use super::{
    CookieHostRules, CookieImport, admission,
    browsers::{
        BROWSERS, BrowserCookieProfile, CookieDatabase, CookieDecryptor, CookieEncryption,
        CookieRow, KnownBrowser, find_profiles,
    },
    list,
};
use crate::{
    dispatch::CallContext,
    keychain::{Keychain, KeychainError, Platform},
    session_state::count_noun,
};
use browse_base::{Error, Result};

/// Domains of a profile that a list names in words.
const MAX_LISTED_DOMAINS: usize = 30;

/// Lists the cookies of other browsers, or imports those of a domain.
pub async fn import_browser_cookies(
    cx: &CallContext,
    request: v1::ImportBrowserCookiesRequest,
) -> Result<v1::ImportBrowserCookiesResponse> {
    // They are local files.
    if !cx.is_owner() {
        let message = "only the owner of the daemon imports from other browsers";
        return Err(Error::new(Reason::FileDenied, message).with("allowed", "an exported file"));
    }
    let domain = request.domain.as_deref().map(|text| list::parse_host(text, cx)).transpose()?;
    let names_none = request.browser.is_none() && request.profile.is_none();
    let found = match requested_profiles(cx, &request) {
        Err(error)
            if error.reason() == Reason::BrowserProfileNotFound
                && names_none
                && domain.is_none()
                && !request.all =>
        {
            let names: Vec<_> = BROWSERS.iter().map(|known| known.name).collect();
            let summary =
                format!("no other browser with cookies is here; looked for {}", names.join(", "));
            return Ok(v1::ImportBrowserCookiesResponse { summary, ..Default::default() });
        }
        found => found?,
    };
    match (&domain, request.all) {
        (None, false) => list_profiles(found).await,
        _ => import_profile(cx, select_profile(cx, &found, &request)?, domain.as_deref()).await,
    }
}

/// The profiles that the request names.
fn requested_profiles(
    cx: &CallContext,
    request: &v1::ImportBrowserCookiesRequest,
) -> Result<Vec<BrowserCookieProfile>> {
    let known = request.browser.as_deref().map(|name| {
        KnownBrowser::by_name(name).ok_or_else(|| {
            let names = BROWSERS.iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
            invalid(cx, &format!("`{}` is none of {names}", name.escape_debug()))
        })
    });
    let known = known.transpose()?;
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let mut found = find_profiles(Platform::current(), &home);
    found.retain(|profile| {
        known.is_none_or(|known| known.name == profile.browser.name)
            && request.profile.as_ref().is_none_or(|name| *name == profile.name)
    });
    if found.is_empty() {
        let whose = known.map_or("another browser", |known| known.name);
        let profile = request
            .profile
            .as_deref()
            .map(|name| format!(" in the profile `{}`", name.escape_debug()));
        let message = format!("no cookies of {whose} are here{}", profile.unwrap_or_default());
        return Err(Error::new(Reason::BrowserProfileNotFound, message));
    }
    Ok(found)
}

/// The profile that is meant: the only one of the only browser, or its default
/// one.
fn select_profile<'a>(
    cx: &CallContext,
    found: &'a [BrowserCookieProfile],
    request: &v1::ImportBrowserCookiesRequest,
) -> Result<&'a BrowserCookieProfile> {
    let mut browsers: Vec<_> = found.iter().map(|profile| profile.browser.name).collect();
    browsers.dedup();
    if request.browser.is_none() && browsers.len() > 1 {
        let message = format!("name one browser: {}", browsers.join(", "));
        return Err(invalid(cx, &message));
    }
    let default = found.iter().find(|profile| profile.name == "Default");
    match (found, default) {
        ([only], _) | (_, Some(only)) => Ok(only),
        _ => {
            let names: Vec<_> = found.iter().map(|profile| format!("`{}`", profile.name)).collect();
            Err(invalid(cx, &format!("name one profile: {}", names.join(", "))))
        }
    }
}

/// What there is. No value is opened, and no keychain asked.
async fn list_profiles(
    found: Vec<BrowserCookieProfile>,
) -> Result<v1::ImportBrowserCookiesResponse> {
    let mut answer = v1::ImportBrowserCookiesResponse::default();
    let mut lines = Vec::new();
    for profile in found {
        let title = format!("{} `{}`", profile.browser.name, profile.name);
        let database = match read_profile(&profile).await {
            Ok(database) => database,
            Err(error) => {
                answer.problems.push(format!("{title}: {error}"));
                continue;
            }
        };
        let mut intake = CookieImport::default();
        database.rows.iter().for_each(|row| intake.count_found(&row.cookie));
        let domains = intake.domains();
        let (cookies, count) =
            (count_noun(database.rows.len() as u32, "cookie"), domains.len() as u32);
        lines.push(format!("{title}: {cookies} of {}", count_noun(count, "domain")));
        let mut most: Vec<_> = domains.iter().collect();
        most.sort_by_key(|row| std::cmp::Reverse(row.found));
        lines.extend(
            most.iter()
                .take(MAX_LISTED_DOMAINS)
                .map(|row| format!("  {} {}", row.domain, row.found)),
        );
        if domains.len() > MAX_LISTED_DOMAINS {
            lines.push(format!("  and {} more", domains.len() - MAX_LISTED_DOMAINS));
        }
        answer.profiles.push(v1::BrowserProfile {
            browser: profile.browser.name.to_owned(),
            profile: profile.name,
            domains,
        });
    }
    lines.extend(answer.problems.iter().cloned());
    lines.push("nothing is imported without `--domain <host>` or `--all`".to_owned());
    answer.summary = lines.join("\n");
    Ok(answer)
}

/// Takes over the cookies of one profile.
async fn import_profile(
    cx: &CallContext,
    profile: &BrowserCookieProfile,
    domain: Option<&str>,
) -> Result<v1::ImportBrowserCookiesResponse> {
    let mut database = read_profile(profile).await?;
    let wanted = |row: &CookieRow| {
        domain.is_none_or(|domain| admission::is_within(row.cookie.host(), domain))
    };
    database.rows.retain(wanted);
    let keychain = cx.daemon().keychain();
    let unlock =
        CookieUnlocker { keychain, platform: Platform::current(), deadline: cx.deadline() };
    let (mut intake, fault) =
        unlock.decrypt_cookies(profile, database, &CookieHostRules::of(cx)?).await;
    match fault {
        Some(fault) if intake.is_empty() => {
            return Err(Error::new(Reason::KeychainUnavailable, fault.to_string()));
        }
        Some(fault) => intake.add_problem(&fault.to_string()),
        None => {}
    }
    intake.store(&cx.page().cookies()).await?;
    let row = v1::BrowserProfile {
        browser: profile.browser.name.to_owned(),
        profile: profile.name.clone(),
        domains: intake.domains(),
    };
    Ok(v1::ImportBrowserCookiesResponse {
        summary: intake.summary(),
        imported: intake.imported_count(),
        profiles: vec![row],
        problems: intake.problems().to_vec(),
    })
}

/// How values are opened.
struct CookieUnlocker<'a> {
    keychain: &'a Keychain,
    platform: Platform,
    deadline: Instant,
}

impl CookieUnlocker<'_> {
    /// Opens the values. The keychain is asked only for a value that it sealed;
    /// its message without a key is in the error.
    async fn decrypt_cookies(
        &self,
        profile: &BrowserCookieProfile,
        database: CookieDatabase,
        admission: &CookieHostRules,
    ) -> (CookieImport, Option<KeychainError>) {
        let asks = |row: &CookieRow| {
            CookieEncryption::detect(&row.encrypted_value, self.platform)
                == CookieEncryption::Keychain
        };
        let (password, fault) = match database.rows.iter().any(asks) {
            false => (None, None),
            true => {
                let item = profile.browser.keychain_item(self.platform);
                match self.keychain.find(&item, self.deadline).await {
                    Ok(password) => (Some(password), None),
                    Err(fault) => (None, Some(fault)),
                }
            }
        };
        let password = password.as_ref().map(|password| password.as_slice());
        let keys = CookieDecryptor::new(self.platform, password);
        let mut intake = CookieImport::default();
        for CookieRow { mut cookie, encrypted_value: sealed } in database.rows {
            if CookieEncryption::detect(&sealed, self.platform) != CookieEncryption::Plaintext {
                match keys.decrypt(&sealed, &cookie.domain, database.version) {
                    Some(value) => cookie.value = value,
                    None => {
                        intake.add_unreadable(&cookie.domain);
                        continue;
                    }
                }
            }
            intake.add(cookie, admission);
        }
        (intake, fault)
    }
}

async fn read_profile(profile: &BrowserCookieProfile) -> Result<CookieDatabase> {
    let path = profile.database_path.clone();
    let read = tokio::task::spawn_blocking(move || CookieDatabase::read(&path)).await;
    read.unwrap_or_else(|error| Err(Error::new(Reason::Bug, error.to_string())))
}

fn invalid(cx: &CallContext, message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", cx.command().name)
}

#[cfg(test)]
mod tests;
