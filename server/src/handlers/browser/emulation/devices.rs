//! Well-known devices.

/// A device: its page area in CSS pixels, held upright where it is mobile.
pub(super) struct DevicePreset {
    pub name: &'static str,
    pub width: u32,
    pub height: u32,
    pub scale: f64,
    pub mobile: bool,
    pub touch: bool,
    /// `{chrome}` is the version of the browser that runs; empty for its own
    /// user agent.
    pub agent: &'static str,
}

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const IPAD: &str = "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const PIXEL: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Mobile Safari/537.36";
const GALAXY: &str = "Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Mobile Safari/537.36";
const TABLET: &str = "Mozilla/5.0 (Linux; Android 15; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Safari/537.36";

const fn phone(
    name: &'static str,
    width: u32,
    height: u32,
    scale: f64,
    agent: &'static str,
) -> DevicePreset {
    DevicePreset { name, width, height, scale, mobile: true, touch: true, agent }
}

const fn desktop(name: &'static str, width: u32, height: u32, scale: f64) -> DevicePreset {
    DevicePreset { name, width, height, scale, mobile: false, touch: false, agent: "" }
}

/// The devices, smallest kind first.
pub(super) const DEVICES: &[DevicePreset] = &[
    phone("iPhone SE", 375, 667, 2.0, IPHONE),
    phone("iPhone 15", 393, 852, 3.0, IPHONE),
    phone("iPhone 16 Pro Max", 440, 956, 3.0, IPHONE),
    phone("Pixel 9", 412, 923, 2.625, PIXEL),
    phone("Galaxy S25", 360, 780, 3.0, GALAXY),
    phone("iPad", 820, 1180, 2.0, IPAD),
    phone("iPad Pro 11", 834, 1210, 2.0, IPAD),
    phone("Galaxy Tab S9", 800, 1280, 2.0, TABLET),
    desktop("Laptop", 1366, 768, 1.0),
    desktop("MacBook Air", 1440, 900, 2.0),
    desktop("Desktop", 1920, 1080, 1.0),
];
