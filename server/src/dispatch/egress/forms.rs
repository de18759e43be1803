//! Forms that send to another site than the page's own.

use std::time::Duration;

use browse_guard::egress::{EgressChannel, Site};
use url::Url;

use super::outbound_flow::{FlowPart, OutboundFlow, site_of};
use crate::dispatch::CallContext;
use browse_base::Result;

/// Time that a page gets to say what it names.
const PAGE_QUERY_TIMEOUT: Duration = Duration::from_millis(300);

/// Whether the tab of the call shows a page of another site that names `to`,
/// also where no reader sees it: in a link, or in what is hidden.
pub async fn page_mentions_site(cx: &CallContext, to: &Site) -> bool {
    // `fetch` and `newtab` have no tab of their own.
    let active = || cx.session().ok()?.active();
    let Some(tab) = cx.tab_if_any().cloned().or_else(active) else { return false };
    let page = tab.page();
    let own = Url::parse(&page.url()).ok().and_then(|url| site_of(&url));
    if own.is_none_or(|own| own == *to) {
        return false;
    }
    let name = serde_json::Value::from(to.as_str());
    let question = format!("document.documentElement.outerHTML.includes({name})");
    let ask = async {
        let world = tab.engine().world(&page.main_frame().id).await.ok()?;
        world.evaluate::<bool>(&question).await.ok()
    };
    matches!(tokio::time::timeout(PAGE_QUERY_TIMEOUT, ask).await, Ok(Some(true)))
}

/// What forms of the tab would send to sites other than that of their frame, and
/// whether that is all.
///
/// # Errors
/// The page gives no answer.
pub async fn cross_site_submissions(cx: &CallContext) -> Result<(Vec<OutboundFlow>, bool)> {
    let (sendings, is_all) = cx.engine().cross_host_submissions().await?;
    let mut acts = Vec::new();
    for sending in sendings {
        let own = Url::parse(&sending.from).ok().and_then(|url| site_of(&url));
        let sites = sending.to.iter().filter_map(|to| site_of(&Url::parse(to).ok()?));
        acts.extend(sites.filter(|to| own.as_ref() != Some(to)).map(|to| OutboundFlow {
            channel: EgressChannel::Field,
            destination: Some(to),
            parts: vec![FlowPart::Text(sending.text.clone())],
            is_typing: false,
        }));
    }
    Ok((acts, is_all))
}
