//! The styles of one element, as the browser's own cascade has them.
//!
//! Only the domains `DOM` and `CSS` tell, and while they are enabled Chromium
//! reports every change of the document. So they are enabled for one question
//! and disabled with it, also when the question is given up.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use super::styles_wire::{
    BoxModelResult, ComputedStyleResult, MatchedStylesResult, RequestNodeResult, StyleSheetAdded,
    StyleSheetHeader,
};
use crate::connection::call::CdpCall;
use crate::connection::envelope::RawEvent;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::ids::FrameId;

/// Everything that styles an element.
#[derive(Debug, Clone, Default)]
pub struct MatchedStyles {
    /// Rules that match it, weakest first; its own `style` attribute is last.
    pub rules: Vec<StyleRule>,
    /// Rules that match what it inherits from, nearest first, each weakest
    /// first.
    pub inherited: Vec<Vec<StyleRule>>,
    /// Rules of its pseudo-elements, with their names.
    pub pseudo: Vec<(String, Vec<StyleRule>)>,
    /// All computed longhands.
    pub computed: Vec<(String, String)>,
    /// Its box; none when it has none.
    pub box_edges: Option<BoxEdges>,
}

/// Who wrote a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleOrigin {
    /// The browser.
    Browser,
    /// Attributes such as `align`.
    Attributes,
    /// The page.
    Page,
    /// The element's own `style` attribute.
    Inline,
}

/// One rule.
#[derive(Debug, Clone)]
pub struct StyleRule {
    /// Who wrote it.
    pub origin: RuleOrigin,
    /// The selectors of its list that match.
    pub selector: String,
    /// Specificity of the strongest of them; none for attributes.
    pub specificity: Option<(u32, u32, u32)>,
    /// What it stands in, outermost first: `@media (min-width: 1px)`.
    pub conditions: Vec<String>,
    /// Cascade layer; empty for none.
    pub layer: String,
    /// URL of its sheet; empty when unknown.
    pub url: String,
    /// Line in the sheet, from 1.
    pub line: Option<u32>,
    /// What it declares, in order.
    pub declarations: Vec<Declaration>,
}

/// One declaration as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Property.
    pub name: String,
    /// Value, without `!important`.
    pub value: String,
    /// Whether it is `!important`.
    pub important: bool,
    /// The longhands it sets; itself for a longhand.
    pub longhands: Vec<String>,
}

/// Widths of the edges in CSS pixels, as top, right, bottom, left.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BoxEdges {
    /// Outside of the border.
    pub margin: [f64; 4],
    /// The border.
    pub border: [f64; 4],
    /// Inside of the border.
    pub padding: [f64; 4],
    /// Width of the content.
    pub width: f64,
    /// Height of the content.
    pub height: f64,
}

/// URL and first line of a sheet, by its id.
pub(crate) type StylesheetIndex = HashMap<String, (String, u32)>;

/// Ends the domains when it goes.
struct CssDomainGuard<'a> {
    page: &'a Page,
    session: CdpSession,
}

impl Drop for CssDomainGuard<'_> {
    fn drop(&mut self) {
        for method in ["CSS.disable", "DOM.disable"] {
            self.session.call_method::<IgnoredAny>(method, &NoParams).ignore();
        }
        *self.page.stylesheets.lock() = None;
    }
}

impl Page {
    /// The styles of an element: an object of a world of this frame.
    pub async fn styles(&self, frame: &FrameId, object: &str) -> Result<MatchedStyles> {
        self.ensure_answering()?;
        // One at a time: the end of one would disable the other.
        let _turn = self.inspect_lock.lock().await;
        let session = self.frame(frame)?.session;
        *self.stylesheets.lock() = Some(StylesheetIndex::new());
        let enabled = CssDomainGuard { page: self, session };
        let session = &enabled.session;
        let object = json!({ "objectId": object });
        // All in one flight; the node's id is what the rest waits for.
        session.call_method::<IgnoredAny>("DOM.enable", &NoParams).ignore();
        let css: CdpCall<IgnoredAny> = session.call_method("CSS.enable", &NoParams);
        session.call_method::<IgnoredAny>("DOM.getDocument", &json!({ "depth": 0 })).ignore();
        let node: CdpCall<RequestNodeResult> = session.call_method("DOM.requestNode", &object);
        let model: CdpCall<BoxModelResult> = session.call_method("DOM.getBoxModel", &object);
        css.await?;
        let params = json!({ "nodeId": node.await?.node_id });
        let matched: CdpCall<MatchedStylesResult> =
            session.call_method("CSS.getMatchedStylesForNode", &params);
        let computed: CdpCall<ComputedStyleResult> =
            session.call_method("CSS.getComputedStyleForNode", &params);
        let (matched, computed) = (matched.await?, computed.await?);
        let sheets = self.stylesheets.lock().take().unwrap_or_default();
        Ok(MatchedStyles {
            computed: computed.computed_style.into_iter().map(|c| (c.name, c.value)).collect(),
            // An element that is not rendered has none, which is not an error.
            box_edges: model.await.ok().map(|answer| answer.model.edges()),
            ..matched.styles(&sheets)
        })
    }

    /// Notes a sheet while somebody asks for styles.
    pub(crate) fn on_stylesheet_added(&self, event: &RawEvent<'_>) {
        if let Some(sheets) = self.stylesheets.lock().as_mut()
            && let Some(added) = event.params::<StyleSheetAdded>()
        {
            let StyleSheetHeader { style_sheet_id, source_url, start_line } = added.header;
            sheets.insert(style_sheet_id, (source_url, start_line as u32));
        }
    }
}
