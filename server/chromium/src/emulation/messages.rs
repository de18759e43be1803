//! Which messages lead from one state to another.

use serde_json::{Value, json};

use super::identity::Identity;
use super::state::{Emulation, MediaFeatures};
use super::user_agent;
use crate::emulation::viewport::Viewport;

/// A message: method and parameters.
pub(crate) type EmulationCommand = (&'static str, Value);

/// What a session serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmulatedTarget {
    /// A tab.
    Tab,
    /// A frame in a process of its own.
    Frame,
    /// A worker.
    Worker,
}

/// What the browser is by itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BrowserDefaults {
    pub viewport: Viewport,
    pub user_agent: String,
    /// What is reported instead.
    pub identity: Option<Identity>,
}

impl BrowserDefaults {
    /// The user agent while none is emulated.
    pub(crate) fn own_user_agent(&self) -> &str {
        self.identity.as_ref().map_or(&self.user_agent, |identity| &identity.user_agent)
    }
}

/// Bytes a second of a kilobit a second.
const BYTES_PER_KILOBIT: f64 = 125.0;

/// The messages for a session that has heard nothing yet.
pub(crate) fn initial(
    state: &Emulation,
    served: EmulatedTarget,
    own: &BrowserDefaults,
) -> Vec<EmulationCommand> {
    let mut messages = diff(&Emulation::default(), state, served, own);
    let is_set = state.user_agent.is_some() || state.locale.is_some();
    if own.identity.is_some() && !is_set {
        messages.insert(0, user_agent(state, own));
    }
    messages
}

/// The messages that make `new` of `old` for a session of this kind.
pub(crate) fn diff(
    old: &Emulation,
    new: &Emulation,
    served: EmulatedTarget,
    own: &BrowserDefaults,
) -> Vec<EmulationCommand> {
    let mut messages = Vec::new();
    if (&old.user_agent, &old.locale) != (&new.user_agent, &new.locale) {
        messages.push(user_agent(new, own));
    }
    if old.headers != new.headers {
        let headers = new.headers.iter().map(|header| (header.name.clone(), json!(header.value)));
        let headers: serde_json::Map<_, _> = headers.collect();
        messages.push(("Network.setExtraHTTPHeaders", json!({ "headers": headers })));
    }
    if (old.offline, old.network) != (new.offline, new.network) {
        messages.push(network(new));
    }
    if served == EmulatedTarget::Worker {
        if !messages.is_empty() {
            // A worker applies neither headers nor limits before this.
            messages.insert(0, ("Network.enable", json!({})));
        }
        return messages;
    }
    if old.timezone != new.timezone {
        let zone = new.timezone.as_deref().unwrap_or_default();
        messages.push(("Emulation.setTimezoneOverride", json!({ "timezoneId": zone })));
    }
    if old.locale != new.locale {
        let params = match &new.locale {
            Some(locale) => json!({ "locale": locale.replace('-', "_") }),
            None => json!({}),
        };
        messages.push(("Emulation.setLocaleOverride", params));
    }
    if old.media != new.media {
        messages.push(("Emulation.setEmulatedMedia", media(&new.media)));
    }
    if old.cpu_slowdown != new.cpu_slowdown {
        let rate = new.cpu_slowdown.unwrap_or(1.0);
        messages.push(("Emulation.setCPUThrottlingRate", json!({ "rate": rate })));
    }
    let touch = |state: &Emulation| state.screen.is_some_and(|screen| screen.has_touch);
    if touch(old) != touch(new) {
        let params = json!({ "enabled": touch(new), "maxTouchPoints": 5 });
        messages.push(("Emulation.setTouchEmulationEnabled", params));
    }
    if served == EmulatedTarget::Tab {
        diff_tab(old, new, own, &mut messages);
    }
    messages
}

/// Commands that only the session of the main frame accepts.
fn diff_tab(
    old: &Emulation,
    new: &Emulation,
    own: &BrowserDefaults,
    messages: &mut Vec<EmulationCommand>,
) {
    if old.screen != new.screen {
        let viewport = new.screen.map_or(own.viewport, |screen| screen.viewport);
        messages.push(("Emulation.setDeviceMetricsOverride", device_metrics(viewport)));
    }
    if old.geolocation != new.geolocation {
        messages.push(match new.geolocation {
            Some(at) => (
                "Emulation.setGeolocationOverride",
                json!({ "latitude": at.latitude, "longitude": at.longitude, "accuracy": at.accuracy }),
            ),
            None => ("Emulation.clearGeolocationOverride", json!({})),
        });
    }
}

/// The emulated screen.
pub(crate) fn device_metrics(viewport: Viewport) -> Value {
    let mut params = json!({
        "width": viewport.width,
        "height": viewport.height,
        "deviceScaleFactor": viewport.scale,
        "mobile": viewport.mobile,
    });
    if viewport.mobile {
        params["screenWidth"] = json!(viewport.width);
        params["screenHeight"] = json!(viewport.height);
        params["screenOrientation"] = match viewport.width > viewport.height {
            true => json!({ "type": "landscapePrimary", "angle": 90 }),
            false => json!({ "type": "portraitPrimary", "angle": 0 }),
        };
    }
    params
}

fn user_agent(new: &Emulation, own: &BrowserDefaults) -> EmulationCommand {
    let method = "Emulation.setUserAgentOverride";
    let (agent, hints) = match (&new.user_agent, &own.identity) {
        (Some(agent), _) => (agent.as_str(), user_agent::user_agent_metadata(agent)),
        (None, Some(identity)) => (&*identity.user_agent, Some(identity.metadata.clone())),
        (None, None) if new.locale.is_none() => return (method, json!({ "userAgent": "" })),
        // The language can only be set together with a user agent.
        (None, None) => (&*own.user_agent, user_agent::user_agent_metadata(&own.user_agent)),
    };
    let mut params = json!({ "userAgent": agent });
    if let Some(hints) = hints {
        params["userAgentMetadata"] = hints;
    }
    match (&new.locale, own.identity.as_ref().and_then(Identity::accept_language)) {
        (Some(locale), _) => params["acceptLanguage"] = json!(languages(locale)),
        (None, Some(own)) => params["acceptLanguage"] = json!(own),
        (None, None) => {}
    }
    (method, params)
}

/// `de-DE,de` for `de-DE`.
fn languages(locale: &str) -> String {
    match locale.split_once('-') {
        Some((language, _)) => format!("{locale},{language}"),
        None => locale.to_owned(),
    }
}

fn network(new: &Emulation) -> EmulationCommand {
    let rate =
        |kilobits: u32| if kilobits == 0 { -1.0 } else { f64::from(kilobits) * BYTES_PER_KILOBIT };
    let limits = new
        .network
        .map(|limits| (limits.latency_ms, rate(limits.download_kbps), rate(limits.upload_kbps)));
    let (latency, down, up) = limits.unwrap_or((0, -1.0, -1.0));
    let params = json!({
        "offline": new.offline,
        "latency": latency,
        "downloadThroughput": down,
        "uploadThroughput": up,
    });
    ("Network.emulateNetworkConditions", params)
}

fn media(media: &MediaFeatures) -> Value {
    let features = [
        ("prefers-color-scheme", media.scheme),
        ("prefers-reduced-motion", media.motion),
        ("prefers-contrast", media.contrast),
        ("forced-colors", media.forced_colors),
    ];
    // Each is named every time: one that is left out keeps its last value.
    let features =
        features.map(|(name, value)| json!({ "name": name, "value": value.unwrap_or("") }));
    json!({ "media": media.kind.unwrap_or(""), "features": features })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulation::brands::Brand;
    use crate::emulation::identity::Languages;
    use crate::emulation::state::{EmulatedScreen, RequestHeader};

    fn own() -> BrowserDefaults {
        BrowserDefaults {
            viewport: Viewport::default(),
            user_agent: "Chrome/1.0".to_owned(),
            identity: None,
        }
    }

    fn plain() -> BrowserDefaults {
        let identity = Identity::new("156.0.8078.108", Brand::Chromium, Languages::English);
        BrowserDefaults { identity: Some(identity), ..own() }
    }

    fn methods(old: &Emulation, new: &Emulation, served: EmulatedTarget) -> Vec<&'static str> {
        diff(old, new, served, &own()).into_iter().map(|(method, _)| method).collect()
    }

    #[test]
    fn only_what_changes_is_sent_and_only_to_whom_it_concerns() {
        let none = Emulation::default();
        let screen = EmulatedScreen {
            viewport: Viewport { mobile: true, ..Viewport::default() },
            has_touch: true,
        };
        let phone =
            Emulation { screen: Some(screen), user_agent: Some("x".into()), ..none.clone() };
        assert!(methods(&phone, &phone, EmulatedTarget::Tab).is_empty());
        assert_eq!(
            methods(&none, &phone, EmulatedTarget::Tab),
            [
                "Emulation.setUserAgentOverride",
                "Emulation.setTouchEmulationEnabled",
                "Emulation.setDeviceMetricsOverride"
            ]
        );
        assert_eq!(
            methods(&none, &phone, EmulatedTarget::Frame),
            ["Emulation.setUserAgentOverride", "Emulation.setTouchEmulationEnabled"]
        );
        assert_eq!(
            methods(&none, &phone, EmulatedTarget::Worker),
            ["Network.enable", "Emulation.setUserAgentOverride"]
        );
        let dark = MediaFeatures { scheme: Some("dark"), ..MediaFeatures::default() };
        let dark = Emulation { media: dark, ..none.clone() };
        assert!(methods(&none, &dark, EmulatedTarget::Worker).is_empty());
    }

    #[test]
    fn the_way_back_takes_everything_off() {
        let none = Emulation::default();
        let some = Emulation {
            user_agent: Some("x".into()),
            headers: vec![RequestHeader { name: "a".into(), value: "b".into() }],
            timezone: Some("Asia/Tokyo".into()),
            locale: Some("de-DE".into()),
            offline: true,
            cpu_slowdown: Some(4.0),
            ..none.clone()
        };
        let back: std::collections::HashMap<_, _> =
            diff(&some, &none, EmulatedTarget::Tab, &own()).into_iter().collect();
        assert_eq!(back["Emulation.setUserAgentOverride"], json!({ "userAgent": "" }));
        assert_eq!(back["Network.setExtraHTTPHeaders"], json!({ "headers": {} }));
        assert_eq!(back["Emulation.setTimezoneOverride"], json!({ "timezoneId": "" }));
        assert_eq!(back["Emulation.setLocaleOverride"], json!({}));
        assert_eq!(back["Network.emulateNetworkConditions"]["offline"], false);
        assert_eq!(back["Emulation.setCPUThrottlingRate"], json!({ "rate": 1.0 }));
    }

    #[test]
    fn a_language_comes_with_the_own_user_agent() {
        let german = Emulation { locale: Some("de-DE".into()), ..Emulation::default() };
        let sent = diff(&Emulation::default(), &german, EmulatedTarget::Tab, &own());
        assert_eq!(sent[0].1["userAgent"], "Chrome/1.0");
        assert_eq!(sent[0].1["acceptLanguage"], "de-DE,de");
    }

    #[test]
    fn an_identity_is_said_first_and_again_when_another_one_goes() {
        let none = Emulation::default();
        for served in [EmulatedTarget::Tab, EmulatedTarget::Frame, EmulatedTarget::Worker] {
            let sent = initial(&none, served, &plain());
            let [(method, params)] = sent.as_slice() else { panic!("one message: {sent:?}") };
            assert_eq!(*method, "Emulation.setUserAgentOverride");
            assert!(!params.to_string().contains("Headless"), "{params}");
            assert_eq!(params["acceptLanguage"], "en-US,en");
            assert_eq!(initial(&none, served, &own()), []);
        }
        let fox = Emulation { user_agent: Some("Fox/1".into()), ..none.clone() };
        let sent = initial(&fox, EmulatedTarget::Tab, &plain());
        assert_eq!(sent.len(), 1);
        let fox_agent = json!({ "userAgent": "Fox/1", "acceptLanguage": "en-US,en" });
        assert_eq!(sent[0].1, fox_agent);
        let back = diff(&fox, &none, EmulatedTarget::Tab, &plain());
        assert_eq!(back, initial(&none, EmulatedTarget::Tab, &plain()));
        let german = Emulation { locale: Some("de-DE".into()), ..none };
        let sent = initial(&german, EmulatedTarget::Tab, &plain());
        assert_eq!(sent[0].1["acceptLanguage"], "de-DE,de");
        assert_eq!(sent[0].1["userAgentMetadata"], plain().identity.unwrap().metadata);
    }
}
