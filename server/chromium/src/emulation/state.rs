//! The state itself.

use std::fmt;

use crate::emulation::viewport::Viewport;

/// Everything that is emulated; the default is nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Emulation {
    /// Another screen than that of the browser.
    pub screen: Option<EmulatedScreen>,
    /// Another user agent.
    pub user_agent: Option<String>,
    /// Headers that go with every request.
    pub headers: Vec<RequestHeader>,
    /// Where the device is; pages may ask for it while it is set.
    pub geolocation: Option<Geolocation>,
    /// IANA name.
    pub timezone: Option<String>,
    /// Language tag.
    pub locale: Option<String>,
    /// What style sheets can ask.
    pub media: MediaFeatures,
    /// Whether there is no network.
    pub offline: bool,
    /// A slower network.
    pub network: Option<NetworkConditions>,
    /// How many times slower the processor is.
    pub cpu_slowdown: Option<f64>,
}

/// A screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmulatedScreen {
    /// Its page area.
    pub viewport: Viewport,
    /// Whether it is touched.
    pub has_touch: bool,
}

/// A header. Its value may be a secret, so it is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestHeader {
    /// Lower case.
    pub name: String,
    /// As it is sent.
    pub value: String,
}

/// A place on the earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geolocation {
    /// Degrees to the north.
    pub latitude: f64,
    /// Degrees to the east.
    pub longitude: f64,
    /// Metres.
    pub accuracy: f64,
}

/// Answers to media queries; none is the browser's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MediaFeatures {
    /// `screen` or `print`.
    pub kind: Option<&'static str>,
    /// `prefers-color-scheme`.
    pub scheme: Option<&'static str>,
    /// `prefers-reduced-motion`.
    pub motion: Option<&'static str>,
    /// `prefers-contrast`.
    pub contrast: Option<&'static str>,
    /// `forced-colors`.
    pub forced_colors: Option<&'static str>,
}

/// A network; 0 bits a second is without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkConditions {
    /// Kilobits a second that arrive.
    pub download_kbps: u32,
    /// Kilobits a second that are sent.
    pub upload_kbps: u32,
    /// Milliseconds before each answer.
    pub latency_ms: u32,
}

impl fmt::Debug for RequestHeader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: …", self.name)
    }
}
