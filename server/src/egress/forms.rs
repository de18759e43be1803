//! Forms that send to another site than the page's own.

use std::time::Duration;

use browse_guard::egress::{Channel, Site};
use serde::Deserialize;
use url::Url;

use super::act::{Act, Part, site_of};
use crate::dispatch::Context;

/// Frames whose forms are looked at.
const MOST_FRAMES: usize = 20;

/// Time that a page gets to say what it names.
const PATIENCE: Duration = Duration::from_millis(300);

/// Forms that go elsewhere, with what stands in them. A page can name a field
/// `action`, so that properties are read by the getters of their prototypes.
const FORMS: &str = r"(() => {
    const get = (proto, name) => Object.getOwnPropertyDescriptor(proto.prototype, name).get;
    const action = get(HTMLFormElement, 'action'), elements = get(HTMLFormElement, 'elements');
    const found = [];
    for (const form of Array.from(document.forms).slice(0, 50)) {
        const fields = Array.from(elements.call(form));
        const targets = new Set([action.call(form)]);
        let text = '';
        for (const field of fields) {
            if (field.hasAttribute('formaction')) targets.add(field.formAction);
            const type = (field.type || '').toLowerCase();
            if (!['hidden', 'submit', 'button', 'reset', 'image', 'file'].includes(type)) {
                text += String(field.value || '').slice(0, 20000) + '\n';
            }
        }
        for (const target of targets) {
            let host = '';
            try { host = new URL(target, document.baseURI).host; } catch { continue; }
            if (host !== location.host && text.trim()) found.push({to: target, text: text.slice(0, 100000)});
        }
    }
    return found;
})()";

/// Whether the tab of the call shows a page of another site that names `to`,
/// also where no reader sees it: in a link, or in what is hidden.
pub async fn page_names(cx: &Context, to: &Site) -> bool {
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
    matches!(tokio::time::timeout(PATIENCE, ask).await, Ok(Some(true)))
}

#[derive(Deserialize)]
struct Form {
    to: String,
    text: String,
}

/// What forms of the page would send to sites other than `own`. A page that
/// gives no answer has none: its next call will say so.
pub async fn foreign(cx: &Context, own: &Site) -> Vec<Act> {
    let page = cx.page();
    let frames: Vec<_> = page.frames().into_iter().take(MOST_FRAMES).collect();
    let asked = frames.iter().map(|frame| async move {
        let world = cx.engine().world(&frame.id).await.ok()?;
        world.evaluate::<Vec<Form>>(FORMS).await.ok()
    });
    let found = futures::future::join_all(asked).await;
    let act = |form: Form| {
        let to = site_of(&Url::parse(&form.to).ok()?).filter(|to| to != own)?;
        let parts = vec![Part::Text(form.text)];
        Some(Act { channel: Channel::Field, to: Some(to), parts, is_typing: false })
    };
    found.into_iter().flatten().flatten().filter_map(act).collect()
}
