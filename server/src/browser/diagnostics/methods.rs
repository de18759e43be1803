//! The methods of the DevTools protocol that `cdp` may run. What is not here
//! is denied: scripts (`Runtime.evaluate`), navigation (`Page.navigate`, which
//! would go around the host rules), bodies, targets, and what ends the browser.

/// What a method concerns, and so what is locked while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One tab.
    Tab,
    /// The whole browser.
    Browser,
}

/// Whether a page can choose what a method answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Numbers, ids and words of the browser only.
    Trusted,
    /// Text that a page wrote.
    Untrusted,
}

/// One method.
#[derive(Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What is locked.
    pub scope: Scope,
    /// What its answer is worth.
    pub output: Output,
    /// Why it is allowed.
    pub justification: &'static str,
}

/// Bytes of JSON that an answer may have.
const MOST: usize = 1 << 20;

/// The same for images and documents.
const MOST_CAPTURE: usize = 32 << 20;

impl Scope {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tab => "tab",
            Self::Browser => "browser",
        }
    }
}

impl Output {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
        }
    }
}

impl Method {
    /// The method of this name, if it is allowed.
    pub fn find(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// Whether its answer may hold what stands in the fields of the page.
    pub fn shows_fields(&self) -> bool {
        let domain = self.name.split('.').next().unwrap_or_default();
        let reads = matches!(domain, "Accessibility" | "DOM" | "DOMSnapshot" | "Runtime")
            || self.name == "Page.captureSnapshot";
        reads && self.output == Output::Untrusted
    }

    /// Bytes of JSON that its answer may have.
    pub fn most_bytes(&self) -> usize {
        match self.name {
            "Page.captureScreenshot" | "Page.printToPDF" | "Page.captureSnapshot" => MOST_CAPTURE,
            _ => MOST,
        }
    }
}

const fn tab(name: &'static str, output: Output, justification: &'static str) -> Method {
    Method { name, scope: Scope::Tab, output, justification }
}

const fn browser(name: &'static str, output: Output, justification: &'static str) -> Method {
    Method { name, scope: Scope::Browser, output, justification }
}

use Output::{Trusted, Untrusted};

/// Every method that is allowed, by domain.
pub static METHODS: &[Method] = &[
    tab("Accessibility.enable", Trusted, "keeps node ids of the accessibility tree stable"),
    tab("Accessibility.disable", Trusted, "ends what Accessibility.enable began"),
    tab("Accessibility.getFullAXTree", Untrusted, "reads the browser's own accessibility tree"),
    tab("Accessibility.getPartialAXTree", Untrusted, "reads the accessibility of one element"),
    tab("Accessibility.getRootAXNode", Untrusted, "reads the root of the accessibility tree"),
    tab("Accessibility.getChildAXNodes", Untrusted, "reads children in the accessibility tree"),
    tab(
        "Accessibility.getAXNodeAndAncestors",
        Untrusted,
        "reads ancestors in the accessibility tree",
    ),
    tab("Accessibility.queryAXTree", Untrusted, "finds elements by role and accessible name"),
    tab("Animation.enable", Trusted, "lets animations be looked at and slowed"),
    tab("Animation.disable", Trusted, "ends what Animation.enable began"),
    tab("Animation.getPlaybackRate", Trusted, "reads how fast animations of the page run"),
    tab("Animation.setPlaybackRate", Trusted, "slows or stops animations for a capture"),
    browser("Browser.getVersion", Trusted, "reads product and version of the browser"),
    tab("CSS.enable", Trusted, "lets style sheets be inspected in the raw session"),
    tab("CSS.disable", Trusted, "ends what CSS.enable began"),
    tab("CSS.getBackgroundColors", Untrusted, "reads the colours behind an element, for contrast"),
    tab("CSS.getComputedStyleForNode", Untrusted, "reads the computed style of an element"),
    tab("CSS.getInlineStylesForNode", Untrusted, "reads the inline style of an element"),
    tab("CSS.getMatchedStylesForNode", Untrusted, "reads the rules that match an element"),
    tab("CSS.getMediaQueries", Untrusted, "reads the media queries of the page"),
    tab("CSS.getPlatformFontsForNode", Untrusted, "reads which fonts render an element"),
    tab("CSS.getStyleSheetText", Untrusted, "reads the text of a style sheet of the page"),
    tab("CSS.startRuleUsageTracking", Trusted, "begins to measure which rules are used"),
    tab("CSS.stopRuleUsageTracking", Untrusted, "reads which rules of the page were used"),
    tab("CSS.forcePseudoState", Trusted, "shows hover and focus styles without input"),
    tab("DOM.enable", Trusted, "lets nodes be inspected in the raw session"),
    tab("DOM.disable", Trusted, "ends what DOM.enable began"),
    tab("DOM.describeNode", Untrusted, "reads one node of the document"),
    tab("DOM.getAttributes", Untrusted, "reads the attributes of an element"),
    tab("DOM.getBoxModel", Trusted, "reads the boxes of an element, numbers only"),
    tab("DOM.getContentQuads", Trusted, "reads the shape of an element, numbers only"),
    tab("DOM.getDocument", Untrusted, "reads the node tree of the document"),
    tab("DOM.getNodeForLocation", Untrusted, "reads which node lies at a point"),
    tab("DOM.getOuterHTML", Untrusted, "reads the markup of one node of the document"),
    tab("DOM.getRelayoutBoundary", Trusted, "reads how far a change of layout reaches"),
    tab("DOM.querySelector", Trusted, "finds a node by selector, answers its id"),
    tab("DOM.querySelectorAll", Trusted, "finds nodes by selector, answers their ids"),
    tab("DOM.requestNode", Trusted, "turns an object into a node id, for inspection"),
    tab("DOM.resolveNode", Untrusted, "turns a node into an object, for Runtime.getProperties"),
    tab("DOMDebugger.getEventListeners", Untrusted, "reads which listeners an object has"),
    tab("DOMSnapshot.captureSnapshot", Untrusted, "reads document, layout and styles at once"),
    tab(
        "Emulation.clearDeviceMetricsOverride",
        Trusted,
        "ends an emulated screen of the raw session",
    ),
    tab("Emulation.clearGeolocationOverride", Trusted, "ends an emulated position"),
    tab("Emulation.setCPUThrottlingRate", Trusted, "slows the processor of the page, to measure"),
    tab(
        "Emulation.setDefaultBackgroundColorOverride",
        Trusted,
        "makes captures with a transparent ground",
    ),
    tab("Emulation.setDeviceMetricsOverride", Trusted, "emulates another screen for the tab"),
    tab("Emulation.setEmulatedMedia", Trusted, "emulates print and preferred colour schemes"),
    tab("Emulation.setEmulatedVisionDeficiency", Trusted, "shows the page as others see it"),
    tab("Emulation.setGeolocationOverride", Trusted, "emulates a position for the tab"),
    tab("Emulation.setLocaleOverride", Trusted, "emulates another language for the tab"),
    tab("Emulation.setScrollbarsHidden", Trusted, "hides scroll bars, for captures"),
    tab("Emulation.setTimezoneOverride", Trusted, "emulates another time zone for the tab"),
    tab("Emulation.setTouchEmulationEnabled", Trusted, "emulates a touch screen for the tab"),
    tab("LayerTree.enable", Trusted, "lets compositing layers be inspected"),
    tab("LayerTree.disable", Trusted, "ends what LayerTree.enable began"),
    tab("LayerTree.compositingReasons", Trusted, "reads why an element has its own layer"),
    tab("Memory.getDOMCounters", Trusted, "counts documents, nodes and listeners"),
    tab("Network.enable", Trusted, "begins events of the raw session; capture has its own"),
    tab("Network.disable", Trusted, "ends events of the raw session; capture goes on"),
    tab("Overlay.enable", Trusted, "lets the browser draw over the page"),
    tab("Overlay.disable", Trusted, "ends what Overlay.enable began"),
    tab("Overlay.hideHighlight", Trusted, "takes a drawn highlight away again"),
    tab("Overlay.highlightNode", Trusted, "draws over an element without touching the page"),
    tab("Overlay.setShowFPSCounter", Trusted, "shows frames a second over the page"),
    tab("Overlay.setShowPaintRects", Trusted, "shows what is painted again, over the page"),
    tab("Page.captureScreenshot", Untrusted, "captures the page with every option there is"),
    tab("Page.captureSnapshot", Untrusted, "captures the page with its resources as MHTML"),
    tab("Page.getAppManifest", Untrusted, "reads the manifest of a web application"),
    tab("Page.getFrameTree", Untrusted, "reads frames, their addresses and names"),
    tab("Page.getLayoutMetrics", Trusted, "reads sizes of viewport and content, numbers only"),
    tab("Page.printToPDF", Untrusted, "prints the page with every option there is"),
    tab("Performance.enable", Trusted, "begins to collect metrics in the raw session"),
    tab("Performance.disable", Trusted, "ends what Performance.enable began"),
    tab("Performance.getMetrics", Trusted, "reads metrics of the renderer, numbers only"),
    tab("Profiler.enable", Trusted, "lets coverage of scripts be measured"),
    tab("Profiler.disable", Trusted, "ends what Profiler.enable began"),
    tab("Profiler.startPreciseCoverage", Trusted, "begins to measure which code runs"),
    tab("Profiler.stopPreciseCoverage", Trusted, "ends the measuring of coverage"),
    tab("Profiler.takePreciseCoverage", Untrusted, "reads which functions of the page ran"),
    tab("Runtime.getHeapUsage", Trusted, "reads the size of the JavaScript heap"),
    tab("Runtime.getProperties", Untrusted, "reads properties of an object, runs no getter"),
    tab("Runtime.releaseObject", Trusted, "lets an object go that DOM.resolveNode holds"),
    browser("SystemInfo.getInfo", Trusted, "reads graphics hardware and its features"),
    browser("SystemInfo.getProcessInfo", Trusted, "reads processes and their processor time"),
    browser("Tracing.getCategories", Trusted, "lists what `trace start` can record"),
    browser("Tracing.recordClockSyncMarker", Trusted, "marks a moment in a running trace"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_stands_once_and_says_why() {
        for (index, method) in METHODS.iter().enumerate() {
            let name = method.name;
            assert!(method.justification.len() > 20, "{name}");
            assert!(METHODS[..index].iter().all(|other| other.name != name), "{name} twice");
            let (domain, verb) = name.split_once('.').expect("a domain and a verb");
            assert!(domain.chars().all(char::is_alphanumeric) && !verb.is_empty(), "{name}");
        }
    }

    #[test]
    fn what_would_go_around_the_rules_stays_out() {
        for name in [
            "Runtime.evaluate",
            "Runtime.callFunctionOn",
            "Runtime.compileScript",
            "Page.navigate",
            "Page.addScriptToEvaluateOnNewDocument",
            "Page.setDocumentContent",
            "Network.getResponseBody",
            "Network.getCookies",
            "Network.setExtraHTTPHeaders",
            "Storage.getCookies",
            "Target.createTarget",
            "Target.attachToTarget",
            "Browser.close",
            "Browser.setDownloadBehavior",
            "Fetch.enable",
            "Fetch.disable",
            "Fetch.continueRequest",
            "DOM.setFileInputFiles",
            "DOM.setOuterHTML",
            "Debugger.enable",
            "IO.read",
            "Input.dispatchKeyEvent",
            "Emulation.setVirtualTimePolicy",
        ] {
            assert!(Method::find(name).is_none(), "{name}");
        }
        for domain in ["Target.", "Fetch.", "Storage.", "Debugger.", "IO.", "Input."] {
            assert!(METHODS.iter().all(|method| !method.name.starts_with(domain)), "{domain}");
        }
    }
}
