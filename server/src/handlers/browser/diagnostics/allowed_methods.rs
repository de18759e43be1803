//! The methods of the DevTools protocol that `cdp` may run. What is not here
//! is denied: scripts (`Runtime.evaluate`), navigation (`Page.navigate`, which
//! would go around the host rules), bodies, targets, and what ends the browser.

/// What a method concerns, and so what is locked while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdpLockScope {
    /// One tab.
    Tab,
    /// The whole browser.
    Browser,
}

/// Whether a page can choose what a method answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdpOutputTrust {
    /// Numbers, ids and words of the browser only.
    Trusted,
    /// Text that a page wrote.
    Untrusted,
}

/// One method.
#[derive(Debug)]
pub struct AllowedCdpMethod {
    /// Its name.
    pub name: &'static str,
    /// What is locked.
    pub scope: CdpLockScope,
    /// What its answer is worth.
    pub output: CdpOutputTrust,
    /// Why it is allowed.
    pub justification: &'static str,
}

/// Bytes of JSON that an answer may have.
const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// The same for images and documents.
const MAX_CAPTURE_BYTES: usize = 32 << 20;

impl CdpLockScope {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tab => "tab",
            Self::Browser => "browser",
        }
    }
}

impl CdpOutputTrust {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
        }
    }
}

impl AllowedCdpMethod {
    /// The method of this name, if it is allowed.
    pub fn find(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// Whether its answer may hold what stands in the fields of the page.
    pub fn exposes_field_values(&self) -> bool {
        let domain = self.name.split('.').next().unwrap_or_default();
        let reads = matches!(domain, "Accessibility" | "DOM" | "DOMSnapshot" | "Runtime")
            || self.name == "Page.captureSnapshot";
        reads && self.output == CdpOutputTrust::Untrusted
    }

    /// Bytes of JSON that its answer may have.
    pub fn max_output_bytes(&self) -> usize {
        match self.name {
            "Page.captureScreenshot" | "Page.printToPDF" | "Page.captureSnapshot" => {
                MAX_CAPTURE_BYTES
            }
            _ => MAX_OUTPUT_BYTES,
        }
    }
}

const fn tab_method(
    name: &'static str,
    output: CdpOutputTrust,
    justification: &'static str,
) -> AllowedCdpMethod {
    AllowedCdpMethod { name, scope: CdpLockScope::Tab, output, justification }
}

const fn browser_method(
    name: &'static str,
    output: CdpOutputTrust,
    justification: &'static str,
) -> AllowedCdpMethod {
    AllowedCdpMethod { name, scope: CdpLockScope::Browser, output, justification }
}

use CdpOutputTrust::{Trusted, Untrusted};

/// Every method that is allowed, by domain.
pub static METHODS: &[AllowedCdpMethod] = &[
    tab_method("Accessibility.enable", Trusted, "keeps node ids of the accessibility tree stable"),
    tab_method("Accessibility.disable", Trusted, "ends what Accessibility.enable began"),
    tab_method(
        "Accessibility.getFullAXTree",
        Untrusted,
        "reads the browser's own accessibility tree",
    ),
    tab_method(
        "Accessibility.getPartialAXTree",
        Untrusted,
        "reads the accessibility of one element",
    ),
    tab_method(
        "Accessibility.getRootAXNode",
        Untrusted,
        "reads the root of the accessibility tree",
    ),
    tab_method(
        "Accessibility.getChildAXNodes",
        Untrusted,
        "reads children in the accessibility tree",
    ),
    tab_method(
        "Accessibility.getAXNodeAndAncestors",
        Untrusted,
        "reads ancestors in the accessibility tree",
    ),
    tab_method(
        "Accessibility.queryAXTree",
        Untrusted,
        "finds elements by role and accessible name",
    ),
    tab_method("Animation.enable", Trusted, "lets animations be looked at and slowed"),
    tab_method("Animation.disable", Trusted, "ends what Animation.enable began"),
    tab_method("Animation.getPlaybackRate", Trusted, "reads how fast animations of the page run"),
    tab_method("Animation.setPlaybackRate", Trusted, "slows or stops animations for a capture"),
    browser_method("Browser.getVersion", Trusted, "reads product and version of the browser"),
    tab_method("CSS.enable", Trusted, "lets style sheets be inspected in the raw session"),
    tab_method("CSS.disable", Trusted, "ends what CSS.enable began"),
    tab_method(
        "CSS.getBackgroundColors",
        Untrusted,
        "reads the colours behind an element, for contrast",
    ),
    tab_method("CSS.getComputedStyleForNode", Untrusted, "reads the computed style of an element"),
    tab_method("CSS.getInlineStylesForNode", Untrusted, "reads the inline style of an element"),
    tab_method("CSS.getMatchedStylesForNode", Untrusted, "reads the rules that match an element"),
    tab_method("CSS.getMediaQueries", Untrusted, "reads the media queries of the page"),
    tab_method("CSS.getPlatformFontsForNode", Untrusted, "reads which fonts render an element"),
    tab_method("CSS.getStyleSheetText", Untrusted, "reads the text of a style sheet of the page"),
    tab_method("CSS.startRuleUsageTracking", Trusted, "begins to measure which rules are used"),
    tab_method("CSS.stopRuleUsageTracking", Untrusted, "reads which rules of the page were used"),
    tab_method("CSS.forcePseudoState", Trusted, "shows hover and focus styles without input"),
    tab_method("DOM.enable", Trusted, "lets nodes be inspected in the raw session"),
    tab_method("DOM.disable", Trusted, "ends what DOM.enable began"),
    tab_method("DOM.describeNode", Untrusted, "reads one node of the document"),
    tab_method("DOM.getAttributes", Untrusted, "reads the attributes of an element"),
    tab_method("DOM.getBoxModel", Trusted, "reads the boxes of an element, numbers only"),
    tab_method("DOM.getContentQuads", Trusted, "reads the shape of an element, numbers only"),
    tab_method("DOM.getDocument", Untrusted, "reads the node tree of the document"),
    tab_method("DOM.getNodeForLocation", Untrusted, "reads which node lies at a point"),
    tab_method("DOM.getOuterHTML", Untrusted, "reads the markup of one node of the document"),
    tab_method("DOM.getRelayoutBoundary", Trusted, "reads how far a change of layout reaches"),
    tab_method("DOM.querySelector", Trusted, "finds a node by selector, answers its id"),
    tab_method("DOM.querySelectorAll", Trusted, "finds nodes by selector, answers their ids"),
    tab_method("DOM.requestNode", Trusted, "turns an object into a node id, for inspection"),
    tab_method(
        "DOM.resolveNode",
        Untrusted,
        "turns a node into an object, for Runtime.getProperties",
    ),
    tab_method("DOMDebugger.getEventListeners", Untrusted, "reads which listeners an object has"),
    tab_method(
        "DOMSnapshot.captureSnapshot",
        Untrusted,
        "reads document, layout and styles at once",
    ),
    tab_method(
        "Emulation.clearDeviceMetricsOverride",
        Trusted,
        "ends an emulated screen of the raw session",
    ),
    tab_method("Emulation.clearGeolocationOverride", Trusted, "ends an emulated position"),
    tab_method(
        "Emulation.setCPUThrottlingRate",
        Trusted,
        "slows the processor of the page, to measure",
    ),
    tab_method(
        "Emulation.setDefaultBackgroundColorOverride",
        Trusted,
        "makes captures with a transparent ground",
    ),
    tab_method(
        "Emulation.setDeviceMetricsOverride",
        Trusted,
        "emulates another screen for the tab",
    ),
    tab_method(
        "Emulation.setEmulatedMedia",
        Trusted,
        "emulates print and preferred colour schemes",
    ),
    tab_method("Emulation.setEmulatedVisionDeficiency", Trusted, "shows the page as others see it"),
    tab_method("Emulation.setGeolocationOverride", Trusted, "emulates a position for the tab"),
    tab_method("Emulation.setLocaleOverride", Trusted, "emulates another language for the tab"),
    tab_method("Emulation.setScrollbarsHidden", Trusted, "hides scroll bars, for captures"),
    tab_method("Emulation.setTimezoneOverride", Trusted, "emulates another time zone for the tab"),
    tab_method(
        "Emulation.setTouchEmulationEnabled",
        Trusted,
        "emulates a touch screen for the tab",
    ),
    tab_method("LayerTree.enable", Trusted, "lets compositing layers be inspected"),
    tab_method("LayerTree.disable", Trusted, "ends what LayerTree.enable began"),
    tab_method("LayerTree.compositingReasons", Trusted, "reads why an element has its own layer"),
    tab_method("Memory.getDOMCounters", Trusted, "counts documents, nodes and listeners"),
    tab_method("Network.enable", Trusted, "begins events of the raw session; capture has its own"),
    tab_method("Network.disable", Trusted, "ends events of the raw session; capture goes on"),
    tab_method("Overlay.enable", Trusted, "lets the browser draw over the page"),
    tab_method("Overlay.disable", Trusted, "ends what Overlay.enable began"),
    tab_method("Overlay.hideHighlight", Trusted, "takes a drawn highlight away again"),
    tab_method("Overlay.highlightNode", Trusted, "draws over an element without touching the page"),
    tab_method("Overlay.setShowFPSCounter", Trusted, "shows frames a second over the page"),
    tab_method("Overlay.setShowPaintRects", Trusted, "shows what is painted again, over the page"),
    tab_method("Page.captureScreenshot", Untrusted, "captures the page with every option there is"),
    tab_method("Page.captureSnapshot", Untrusted, "captures the page with its resources as MHTML"),
    tab_method("Page.getAppManifest", Untrusted, "reads the manifest of a web application"),
    tab_method("Page.getFrameTree", Untrusted, "reads frames, their addresses and names"),
    tab_method(
        "Page.getLayoutMetrics",
        Trusted,
        "reads sizes of viewport and content, numbers only",
    ),
    tab_method("Page.printToPDF", Untrusted, "prints the page with every option there is"),
    tab_method("Performance.enable", Trusted, "begins to collect metrics in the raw session"),
    tab_method("Performance.disable", Trusted, "ends what Performance.enable began"),
    tab_method("Performance.getMetrics", Trusted, "reads metrics of the renderer, numbers only"),
    tab_method("Profiler.enable", Trusted, "lets coverage of scripts be measured"),
    tab_method("Profiler.disable", Trusted, "ends what Profiler.enable began"),
    tab_method("Profiler.startPreciseCoverage", Trusted, "begins to measure which code runs"),
    tab_method("Profiler.stopPreciseCoverage", Trusted, "ends the measuring of coverage"),
    tab_method("Profiler.takePreciseCoverage", Untrusted, "reads which functions of the page ran"),
    tab_method("Runtime.getHeapUsage", Trusted, "reads the size of the JavaScript heap"),
    tab_method("Runtime.getProperties", Untrusted, "reads properties of an object, runs no getter"),
    tab_method("Runtime.releaseObject", Trusted, "lets an object go that DOM.resolveNode holds"),
    browser_method("SystemInfo.getInfo", Trusted, "reads graphics hardware and its features"),
    browser_method(
        "SystemInfo.getProcessInfo",
        Trusted,
        "reads processes and their processor time",
    ),
    browser_method("Tracing.getCategories", Trusted, "lists what `trace start` can record"),
    browser_method("Tracing.recordClockSyncMarker", Trusted, "marks a moment in a running trace"),
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
            assert!(AllowedCdpMethod::find(name).is_none(), "{name}");
        }
        for domain in ["Target.", "Fetch.", "Storage.", "Debugger.", "IO.", "Input."] {
            assert!(METHODS.iter().all(|method| !method.name.starts_with(domain)), "{domain}");
        }
    }
}
