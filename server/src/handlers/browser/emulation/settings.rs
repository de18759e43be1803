//! What is emulated, in words.

use browse_proto::v1;

use super::{DEFAULT, header};
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::{EmulatedScreen, Emulation, Page};

/// A setting by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EmulationSetting {
    Viewport,
    UserAgent,
    Headers,
    Geolocation,
    Timezone,
    Locale,
    Media,
    Network,
    Cpu,
}

impl EmulationSetting {
    const ALL: [Self; 9] = [
        Self::Viewport,
        Self::UserAgent,
        Self::Headers,
        Self::Geolocation,
        Self::Timezone,
        Self::Locale,
        Self::Media,
        Self::Network,
        Self::Cpu,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Viewport => "viewport",
            Self::UserAgent => "user agent",
            Self::Headers => "headers",
            Self::Geolocation => "geolocation",
            Self::Timezone => "timezone",
            Self::Locale => "locale",
            Self::Media => "media",
            Self::Network => "network",
            Self::Cpu => "cpu",
        }
    }

    fn value(self, state: &Emulation) -> Option<String> {
        match self {
            Self::Viewport => state.screen.map(screen),
            Self::UserAgent => state.user_agent.clone(),
            Self::Headers => headers(state),
            Self::Geolocation => state
                .geolocation
                .map(|at| format!("{}, {} within {} m", at.latitude, at.longitude, at.accuracy)),
            Self::Timezone => state.timezone.clone(),
            Self::Locale => state.locale.clone(),
            Self::Media => media(state),
            Self::Network => network(state),
            Self::Cpu => state.cpu_slowdown.map(|times| format!("{times} times slower")),
        }
    }
}

/// Prints every setting.
pub async fn emulate(cx: &CallContext, _: v1::EmulateRequest) -> Result<v1::EmulateResponse> {
    Ok(v1::EmulateResponse {
        settings: to_messages(&cx.page().emulation(), &EmulationSetting::ALL),
    })
}

/// Takes everything back.
pub async fn reset_emulation(
    cx: &CallContext,
    _: v1::ResetEmulationRequest,
) -> Result<v1::ResetEmulationResponse> {
    let state = cx.page().emulate(|state| *state = Emulation::default()).await?;
    Ok(v1::ResetEmulationResponse { settings: to_messages(&state, &EmulationSetting::ALL) })
}

/// Changes the state of the session of `page`, and says how `settings` are now.
pub(super) async fn change_emulation(
    page: &Page,
    settings: &[EmulationSetting],
    change: impl FnOnce(&mut Emulation),
) -> Result<Vec<v1::Emulated>> {
    Ok(to_messages(&page.emulate(change).await?, settings))
}

fn to_messages(state: &Emulation, settings: &[EmulationSetting]) -> Vec<v1::Emulated> {
    let one = |setting: &EmulationSetting| v1::Emulated {
        name: setting.name().to_owned(),
        value: setting.value(state).unwrap_or_else(|| DEFAULT.to_owned()),
    };
    settings.iter().map(one).collect()
}

fn screen(EmulatedScreen { viewport, has_touch: touch }: EmulatedScreen) -> String {
    let mut text = format!("{}x{} scale {}", viewport.width, viewport.height, viewport.scale);
    for (word, holds) in [(" mobile", viewport.mobile), (" touch", touch)] {
        text.push_str(if holds { word } else { "" });
    }
    text
}

fn headers(state: &Emulation) -> Option<String> {
    let shown = state.headers.iter().map(header::redacted_header);
    let shown: Vec<_> = shown.map(|header| format!("{}: {}", header.name, header.value)).collect();
    (!shown.is_empty()).then(|| shown.join("; "))
}

fn media(state: &Emulation) -> Option<String> {
    let media = &state.media;
    let parts = [
        ("type", media.kind),
        ("scheme", media.scheme),
        ("motion", media.motion),
        ("contrast", media.contrast),
        ("forced-colors", media.forced_colors),
    ];
    let set = parts.iter().filter_map(|(name, value)| Some(format!("{name} {}", (*value)?)));
    let set: Vec<_> = set.collect();
    (!set.is_empty()).then(|| set.join(", "))
}

fn network(state: &Emulation) -> Option<String> {
    if state.offline {
        return Some("offline".to_owned());
    }
    let limits = state.network?;
    let rate = |kilobits: u32| match kilobits {
        0 => "unlimited".to_owned(),
        kilobits => format!("{kilobits} kbit/s"),
    };
    let (down, up) = (rate(limits.download_kbps), rate(limits.upload_kbps));
    Some(format!("{down} down, {up} up, {} ms", limits.latency_ms))
}
