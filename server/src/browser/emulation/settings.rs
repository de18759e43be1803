//! What is emulated, in words.

use browse_proto::v1;

use super::{DEFAULT, header};
use crate::{
    chromium::{Emulation, Page, Screen},
    dispatch::Context,
    error::Result,
};

/// A setting by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
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

impl Setting {
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
            Self::UserAgent => state.agent.clone(),
            Self::Headers => headers(state),
            Self::Geolocation => state
                .position
                .map(|at| format!("{}, {} within {} m", at.latitude, at.longitude, at.accuracy)),
            Self::Timezone => state.timezone.clone(),
            Self::Locale => state.locale.clone(),
            Self::Media => media(state),
            Self::Network => network(state),
            Self::Cpu => state.slowdown.map(|times| format!("{times} times slower")),
        }
    }
}

/// Prints every setting.
pub async fn emulate(cx: &Context, _: v1::EmulateRequest) -> Result<v1::EmulateResponse> {
    Ok(v1::EmulateResponse { settings: of(&cx.page().emulation(), &Setting::ALL) })
}

/// Takes everything back.
pub async fn reset_emulation(
    cx: &Context,
    _: v1::ResetEmulationRequest,
) -> Result<v1::ResetEmulationResponse> {
    let state = cx.page().emulate(|state| *state = Emulation::default()).await?;
    Ok(v1::ResetEmulationResponse { settings: of(&state, &Setting::ALL) })
}

/// Changes the state of the session of `page`, and says how `settings` are now.
pub(super) async fn change(
    page: &Page,
    settings: &[Setting],
    change: impl FnOnce(&mut Emulation),
) -> Result<Vec<v1::Emulated>> {
    Ok(of(&page.emulate(change).await?, settings))
}

fn of(state: &Emulation, settings: &[Setting]) -> Vec<v1::Emulated> {
    let one = |setting: &Setting| v1::Emulated {
        name: setting.name().to_owned(),
        value: setting.value(state).unwrap_or_else(|| DEFAULT.to_owned()),
    };
    settings.iter().map(one).collect()
}

fn screen(Screen { viewport, touch }: Screen) -> String {
    let mut text = format!("{}x{} scale {}", viewport.width, viewport.height, viewport.scale);
    for (word, holds) in [(" mobile", viewport.mobile), (" touch", touch)] {
        text.push_str(if holds { word } else { "" });
    }
    text
}

fn headers(state: &Emulation) -> Option<String> {
    let shown = state.headers.iter().map(header::shown);
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
    let (down, up) = (rate(limits.down), rate(limits.up));
    Some(format!("{down} down, {up} up, {} ms", limits.latency))
}
