//! The methods that clients may call, and why. What is not here is refused.
//!
//! A method is served on the session of the browser, on those of targets, or on both.
//! Some are answered for the session alone, or have their parameters checked; `client`
//! has the code.

/// Where a method is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodTarget {
    /// On the session of the browser: it is answered for the session.
    Browser,
    /// On the session of a tab, frame or worker: it reaches that target alone.
    Target,
    /// On both.
    Both,
}

/// Methods that are allowed for one reason.
#[derive(Debug)]
pub struct AllowedMethods {
    /// Where they are served.
    pub place: MethodTarget,
    /// Why they are allowed.
    pub reason: &'static str,
    /// Their names; `Domain.*` is all of a domain.
    pub names: &'static [&'static str],
}

/// Methods that are refused, by their beginning, and why.
#[derive(Debug)]
pub struct RefusedMethods {
    /// How their names begin.
    pub prefix: &'static str,
    /// Why they are refused.
    pub reason: &'static str,
}

/// What is allowed.
pub static ALLOWED: &[AllowedMethods] = &[
    AllowedMethods {
        place: MethodTarget::Both,
        reason: "answered for the session: its tabs and workers, and the contexts that the \
                 client made; other ids are errors",
        names: &["Target.setAutoAttach", "Target.getTargetInfo", "Target.detachFromTarget"],
    },
    AllowedMethods {
        place: MethodTarget::Browser,
        reason: "answered for the session: its tabs and workers, and the contexts that the \
                 client made; other ids are errors",
        names: &[
            "Target.setDiscoverTargets",
            "Target.getTargets",
            "Target.getBrowserContexts",
            "Target.attachToTarget",
            "Target.attachToBrowserTarget",
            "Target.createTarget",
            "Target.activateTarget",
            "Target.closeTarget",
            "Target.createBrowserContext",
            "Target.disposeBrowserContext",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Both,
        reason: "answered for the session: product and version, where downloads are copied, \
                 a window for each tab; `close` ends the connection",
        names: &[
            "Browser.getVersion",
            "Browser.close",
            "Browser.setDownloadBehavior",
            "Browser.cancelDownload",
            "Browser.getWindowForTarget",
            "Browser.getWindowBounds",
            "Browser.setWindowBounds",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Both,
        reason: "permissions and cookies of one context, which is that of the session when \
                 none is named",
        names: &[
            "Browser.grantPermissions",
            "Browser.setPermission",
            "Browser.resetPermissions",
            "Storage.getCookies",
            "Storage.setCookies",
            "Storage.clearCookies",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Both,
        reason: "only with `ignore: false`: errors of certificates are not ignored",
        names: &["Security.setIgnoreCertificateErrors"],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "scripts, nodes, styles and events of the attached target",
        names: &[
            "Accessibility.*",
            "Animation.*",
            "CSS.*",
            "Console.*",
            "DOMDebugger.*",
            "DOMSnapshot.*",
            "Debugger.*",
            "EventBreakpoints.*",
            "HeapProfiler.*",
            "Inspector.*",
            "LayerTree.*",
            "Log.*",
            "Media.*",
            "Overlay.*",
            "Performance.*",
            "PerformanceTimeline.*",
            "Profiler.*",
            "Runtime.*",
            "Schema.*",
            "WebAudio.*",
            "WebMCP.*",
            "Audits.enable",
            "Audits.disable",
            "Audits.checkContrast",
            "Memory.getDOMCounters",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "nodes of the attached target; files of `setFileInputFiles` follow the rules of \
                 `upload`, and the page gets copies",
        names: &[
            "DOM.collectClassNamesFromSubtree",
            "DOM.copyTo",
            "DOM.describeNode",
            "DOM.disable",
            "DOM.discardSearchResults",
            "DOM.enable",
            "DOM.focus",
            "DOM.forceShowPopover",
            "DOM.getAnchorElement",
            "DOM.getAttributes",
            "DOM.getBoxModel",
            "DOM.getContainerForNode",
            "DOM.getContentQuads",
            "DOM.getDetachedDomNodes",
            "DOM.getDocument",
            "DOM.getElementByRelation",
            "DOM.getFlattenedDocument",
            "DOM.getFrameOwner",
            "DOM.getNodeForLocation",
            "DOM.getNodeStackTraces",
            "DOM.getNodesForSubtreeByStyle",
            "DOM.getOuterHTML",
            "DOM.getQueryingDescendantsForContainer",
            "DOM.getRelayoutBoundary",
            "DOM.getSearchResults",
            "DOM.getTopLayerElements",
            "DOM.hideHighlight",
            "DOM.highlightNode",
            "DOM.highlightRect",
            "DOM.markUndoableState",
            "DOM.moveTo",
            "DOM.performSearch",
            "DOM.pushNodeByPathToFrontend",
            "DOM.pushNodesByBackendIdsToFrontend",
            "DOM.querySelector",
            "DOM.querySelectorAll",
            "DOM.redo",
            "DOM.removeAttribute",
            "DOM.removeNode",
            "DOM.requestChildNodes",
            "DOM.requestNode",
            "DOM.resolveNode",
            "DOM.scrollIntoViewIfNeeded",
            "DOM.setAttributeValue",
            "DOM.setAttributesAsText",
            "DOM.setFileInputFiles",
            "DOM.setInspectedNode",
            "DOM.setNodeName",
            "DOM.setNodeStackTracesEnabled",
            "DOM.setNodeValue",
            "DOM.setOuterHTML",
            "DOM.undo",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "input into the attached tab; dragged files are refused",
        names: &[
            "Input.cancelDragging",
            "Input.dispatchDragEvent",
            "Input.dispatchKeyEvent",
            "Input.dispatchMouseEvent",
            "Input.dispatchTouchEvent",
            "Input.emulateTouchFromMouseEvent",
            "Input.imeSetComposition",
            "Input.insertText",
            "Input.setIgnoreInputEvents",
            "Input.setInterceptDrags",
            "Input.synthesizePinchGesture",
            "Input.synthesizeScrollGesture",
            "Input.synthesizeTapGesture",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "the document of the attached tab; `navigate` takes the addresses that `goto` takes",
        names: &[
            "Page.addScriptToEvaluateOnNewDocument",
            "Page.bringToFront",
            "Page.captureScreenshot",
            "Page.captureSnapshot",
            "Page.clearCompilationCache",
            "Page.close",
            "Page.createIsolatedWorld",
            "Page.disable",
            "Page.enable",
            "Page.getAppManifest",
            "Page.getFrameTree",
            "Page.getLayoutMetrics",
            "Page.getNavigationHistory",
            "Page.getResourceContent",
            "Page.getResourceTree",
            "Page.handleJavaScriptDialog",
            "Page.navigate",
            "Page.navigateToHistoryEntry",
            "Page.printToPDF",
            "Page.reload",
            "Page.removeScriptToEvaluateOnNewDocument",
            "Page.resetNavigationHistory",
            "Page.screencastFrameAck",
            "Page.searchInResource",
            "Page.setBypassCSP",
            "Page.setDocumentContent",
            "Page.setFontFamilies",
            "Page.setFontSizes",
            "Page.setInterceptFileChooserDialog",
            "Page.setLifecycleEventsEnabled",
            "Page.setWebLifecycleState",
            "Page.startScreencast",
            "Page.stopLoading",
            "Page.stopScreencast",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "requests of the attached target; they go where the rules of the session let them",
        names: &[
            "Network.canClearBrowserCache",
            "Network.canClearBrowserCookies",
            "Network.canEmulateNetworkConditions",
            "Network.clearBrowserCache",
            "Network.clearBrowserCookies",
            "Network.clearAcceptedEncodingsOverride",
            "Network.deleteCookies",
            "Network.disable",
            "Network.emulateNetworkConditions",
            "Network.emulateNetworkConditionsByRule",
            "Network.enable",
            "Network.getAllCookies",
            "Network.getCertificate",
            "Network.getCookies",
            "Network.getRequestPostData",
            "Network.getResponseBody",
            "Network.getSecurityIsolationStatus",
            "Network.overrideNetworkState",
            "Network.replayXHR",
            "Network.searchInResponseBody",
            "Network.setAcceptedEncodings",
            "Network.setAttachDebugStack",
            "Network.setBlockedURLs",
            "Network.setBypassServiceWorker",
            "Network.setCacheDisabled",
            "Network.setCookie",
            "Network.setCookies",
            "Network.setExtraHTTPHeaders",
            "Network.setUserAgentOverride",
            "Network.streamResourceContent",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "routes of the attached target; a request keeps its address",
        names: &[
            "Fetch.continueRequest",
            "Fetch.continueResponse",
            "Fetch.continueWithAuth",
            "Fetch.disable",
            "Fetch.enable",
            "Fetch.failRequest",
            "Fetch.fulfillRequest",
            "Fetch.getResponseBody",
            "Fetch.takeResponseBodyAsStream",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "what the attached tab believes of its screen, place, time and input",
        names: &[
            "Emulation.canEmulate",
            "Emulation.clearDeviceMetricsOverride",
            "Emulation.clearDevicePostureOverride",
            "Emulation.clearGeolocationOverride",
            "Emulation.clearIdleOverride",
            "Emulation.getScreenInfos",
            "Emulation.resetPageScaleFactor",
            "Emulation.setAutoDarkModeOverride",
            "Emulation.setAutomationOverride",
            "Emulation.setCPUThrottlingRate",
            "Emulation.setDefaultBackgroundColorOverride",
            "Emulation.setDeviceMetricsOverride",
            "Emulation.setDevicePostureOverride",
            "Emulation.setDisabledImageTypes",
            "Emulation.setDocumentCookieDisabled",
            "Emulation.setEmitTouchEventsForMouse",
            "Emulation.setEmulatedMedia",
            "Emulation.setEmulatedOSTextScale",
            "Emulation.setEmulatedVisionDeficiency",
            "Emulation.setFocusEmulationEnabled",
            "Emulation.setGeolocationOverride",
            "Emulation.setHardwareConcurrencyOverride",
            "Emulation.setIdleOverride",
            "Emulation.setLocaleOverride",
            "Emulation.setNavigatorOverrides",
            "Emulation.setPageScaleFactor",
            "Emulation.setScriptExecutionDisabled",
            "Emulation.setScrollbarsHidden",
            "Emulation.setSmallViewportHeightDifferenceOverride",
            "Emulation.setTimezoneOverride",
            "Emulation.setTouchEmulationEnabled",
            "Emulation.setUserAgentOverride",
            "Emulation.setVirtualTimePolicy",
            "Emulation.setVisibleSize",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "storage of the sites in the attached tab, and virtual keys for them",
        names: &[
            "CacheStorage.*",
            "DOMStorage.*",
            "IndexedDB.*",
            "WebAuthn.*",
            "Storage.clearDataForOrigin",
            "Storage.clearDataForStorageKey",
            "Storage.getStorageKey",
            "Storage.getStorageKeyForFrame",
            "Storage.getUsageAndQuota",
        ],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "streams that the attached tab opened: PDFs and bodies",
        names: &["IO.close", "IO.read", "IO.resolveBlob"],
    },
    AllowedMethods {
        place: MethodTarget::Target,
        reason: "errors of certificates are reported, not ignored",
        names: &["Security.enable", "Security.disable"],
    },
];

/// What is refused by name. The first row whose prefix fits counts.
pub static REFUSED: &[RefusedMethods] = &[
    RefusedMethods {
        prefix: "Target.exposeDevToolsProtocol",
        reason: "it would give pages the protocol",
    },
    RefusedMethods {
        prefix: "Target.setRemoteLocations",
        reason: "it would connect the browser to other hosts",
    },
    RefusedMethods {
        prefix: "Target.sendMessageToTarget",
        reason: "sessions are flattened: write `sessionId` into the message",
    },
    RefusedMethods { prefix: "Target.", reason: "it is not answered for one session" },
    RefusedMethods { prefix: "Browser.crash", reason: "it ends the browser of all sessions" },
    RefusedMethods { prefix: "Browser.", reason: "it concerns the browser of all sessions" },
    RefusedMethods {
        prefix: "Network.loadNetworkResource",
        reason: "it goes around the rules of hosts",
    },
    RefusedMethods {
        prefix: "Network.setRequestInterception",
        reason: "`Fetch.enable` has taken its place",
    },
    RefusedMethods {
        prefix: "Network.continueInterceptedRequest",
        reason: "it may change the address of a request",
    },
    RefusedMethods {
        prefix: "Page.setDownloadBehavior",
        reason: "`Browser.setDownloadBehavior` has taken its place",
    },
    RefusedMethods { prefix: "Page.crash", reason: "other tabs may be in the same process" },
    RefusedMethods { prefix: "DOM.getFileInfo", reason: "it shows where files are" },
    RefusedMethods { prefix: "Security.", reason: "certificates are checked" },
    RefusedMethods { prefix: "Extensions.", reason: "it installs or reads extensions" },
    RefusedMethods { prefix: "Tethering.", reason: "it opens ports on this machine" },
    RefusedMethods {
        prefix: "SystemInfo.",
        reason: "it describes this machine and the processes of all sessions",
    },
    RefusedMethods { prefix: "Tracing.", reason: "a trace shows all sessions" },
    RefusedMethods { prefix: "Memory.", reason: "it concerns the processes of all sessions" },
    RefusedMethods { prefix: "IO.", reason: "streams are read on the session of their tab" },
    RefusedMethods { prefix: "Fetch.", reason: "requests are paused on the session of a tab" },
    RefusedMethods { prefix: "Cast.", reason: "it sends the tab to other devices" },
    RefusedMethods { prefix: "DeviceAccess.", reason: "it gives pages devices of this machine" },
    RefusedMethods {
        prefix: "BluetoothEmulation.",
        reason: "it concerns the devices of all sessions",
    },
    RefusedMethods { prefix: "ServiceWorker.", reason: "it concerns workers of other tabs" },
    RefusedMethods { prefix: "BackgroundService.", reason: "it records what other tabs do" },
    RefusedMethods { prefix: "Autofill.", reason: "it fills in data of the user" },
    RefusedMethods { prefix: "PWA.", reason: "it installs applications" },
    RefusedMethods {
        prefix: "HeadlessExperimental.",
        reason: "it stops the frames of the browser",
    },
];

/// Whether the method is served there, or why it is refused.
pub(super) fn check(method: &str, on_target: bool) -> Result<(), Option<&'static str>> {
    let is_served = |allowed: &&AllowedMethods| match allowed.place {
        MethodTarget::Both => true,
        MethodTarget::Target => on_target,
        MethodTarget::Browser => !on_target,
    };
    let names = |name: &&str| match name.strip_suffix('*') {
        Some(domain) => method.starts_with(domain),
        None => *name == method,
    };
    let of = |allowed: &&AllowedMethods| allowed.names.iter().any(&names);
    let mut matching = ALLOWED.iter().filter(of).peekable();
    if matching.peek().is_none() {
        let refused = REFUSED.iter().find(|refused| method.starts_with(refused.prefix));
        return Err(refused.map(|refused| refused.reason));
    }
    match matching.any(|allowed| is_served(&allowed)) {
        true => Ok(()),
        false if on_target => Err(Some("it is served on the session of the browser")),
        false => Err(Some("it is served on the session of a target: attach to one")),
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::{ALLOWED, REFUSED, check};

    #[test]
    fn methods_are_listed_once_and_by_their_place() {
        let mut seen = BTreeSet::new();
        for name in ALLOWED.iter().flat_map(|allowed| allowed.names) {
            assert!(seen.insert(*name), "{name} is listed twice");
        }
        assert!(ALLOWED.iter().all(|allowed| allowed.reason.len() > 10));
        assert!(check("Runtime.evaluate", true).is_ok());
        assert!(check("Runtime.evaluate", false).is_err());
        assert!(check("Target.createTarget", false).is_ok());
        assert!(check("Target.createTarget", true).is_err());
        assert_eq!(check("No.such", true), Err(None));
        for method in
            ["Browser.crash", "Tracing.start", "DOM.getFileInfo", "Extensions.loadUnpacked"]
        {
            assert!(matches!(check(method, true), Err(Some(_))), "{method}");
            assert!(matches!(check(method, false), Err(Some(_))), "{method}");
        }
    }

    #[test]
    fn the_document_lists_what_is_allowed_and_refused() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cdp.md");
        let document = std::fs::read_to_string(&path).expect("the document");
        let (head, rest) = document.split_once("<!-- Methods, generated. -->\n").expect("a start");
        let (_, tail) = rest.split_once("<!-- End of methods. -->").expect("an end");
        let mut table = "| methods | served on | why |\n|---|---|---|\n".to_owned();
        for allowed in ALLOWED {
            let names = allowed.names.iter().map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(" ");
            let place = format!("{:?}", allowed.place).to_lowercase();
            table += &format!("| {names} | {place} | {} |\n", allowed.reason);
        }
        table += "\n| refused | why |\n|---|---|\n";
        for refused in REFUSED {
            let more = if refused.prefix.ends_with('.') { "*" } else { "" };
            table += &format!("| `{}{more}` | {} |\n", refused.prefix, refused.reason);
        }
        let fresh =
            format!("{head}<!-- Methods, generated. -->\n{table}<!-- End of methods. -->{tail}");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &fresh).expect("a writable document");
        } else {
            assert!(document == fresh, "docs/cdp.md is stale: run with UPDATE=1");
        }
    }
}
