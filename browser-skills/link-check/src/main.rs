//! Opens every link of a page, several at once, and says which are broken.

// A request of a later version of the SDK may have more fields.
#![allow(clippy::needless_update)]

#[path = "../_lib/browse_sdk.rs"]
mod browse_sdk;
mod links;

use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use browse_sdk::{skill, Arguments, Browse, Error, GotoRequest, Result, WaitUntil};
use links::{unique, Found, Link, Outcome};

fn main() -> ExitCode {
    skill(|args, browse| {
        let most = number(args, "most", 1..=1000)?;
        let tabs = number(args, "tabs", 1..=16)?;
        let max_wait = Duration::from_secs(number(args, "patience", 1..=60)?);
        let page = browse.goto(args.required("url")?)?;
        let links = browse.links()?.into_iter().map(|link| (link.href, link.text));
        let mut found = unique(&page.url, links, most as usize);
        check(browse, &mut found, tabs as usize, max_wait)?;
        Ok(found.report())
    })
}

/// A number of the manifest, within its bounds.
fn number(args: &Arguments, name: &str, bounds: std::ops::RangeInclusive<u64>) -> Result<u64> {
    let number = args.required(name)?.parse().ok().filter(|number| bounds.contains(number));
    number.ok_or_else(|| {
        let message = format!("`{name}` wants {} to {}", bounds.start(), bounds.end());
        Error::new("ARGUMENT_INVALID", message, "See `browse skill show link-check`", 3)
    })
}

/// Each thread has a tab, and takes the next link that nobody has taken.
fn check(browse: &Browse, found: &mut Found, tabs: usize, max_wait: Duration) -> Result<()> {
    let tabs = tabs.min(found.links.len());
    let queue = Mutex::new(found.links.iter_mut());
    thread::scope(|scope| {
        let workers: Vec<_> =
            (0..tabs).map(|_| scope.spawn(|| work(browse, &queue, max_wait))).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(outcome) => outcome,
            Err(_) => Err(Error::new("BUG", "a thread of the skill ended early", "", 13)),
        })
    })
}

fn work(
    browse: &Browse,
    queue: &Mutex<std::slice::IterMut<'_, Link>>,
    max_wait: Duration,
) -> Result<()> {
    let id = browse.new_tab(None)?.tab_id;
    let tab = browse.tab(id).with_timeout(max_wait);
    loop {
        // The lock ends with this line: a slow link holds nobody up.
        let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
        let Some(link) = next else { break };
        link.outcome = open(&tab, &link.url)?;
    }
    browse.close_tab(Some(id))?;
    Ok(())
}

/// Opens a link. What fails is the link's fault, unless the daemon is gone.
fn open(tab: &Browse, url: &str) -> Result<Outcome> {
    let request = GotoRequest {
        url: url.to_owned(),
        wait: WaitUntil::Domcontentloaded,
        ..Default::default()
    };
    match tab.goto_with(request) {
        Ok(page) => Ok(Outcome::Opened { status: page.status, to: page.url }),
        Err(error)
            if ["DAEMON_UNREACHABLE", "BROWSER_GONE", "TOKEN_INVALID"]
                .contains(&error.reason.as_str()) =>
        {
            Err(error)
        }
        Err(error) => Ok(Outcome::Failed { reason: error.reason }),
    }
}
