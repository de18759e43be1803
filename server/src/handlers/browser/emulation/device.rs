//! Devices.

use browse_proto::v1;

use super::{
    DEFAULT,
    devices::{DEVICES, DevicePreset},
    invalid,
    settings::{EmulationSetting, change_emulation},
};
use crate::dispatch::CallContext;
use browse_base::{Result, quote};
use browse_chromium::{EmulatedScreen, Viewport};

/// Emulates a device, or lists all.
pub async fn emulate_device(
    cx: &CallContext,
    request: v1::EmulateDeviceRequest,
) -> Result<v1::EmulateDeviceResponse> {
    let Some(name) = request.device else {
        return Ok(v1::EmulateDeviceResponse {
            settings: DEVICES.iter().map(device_entry).collect(),
        });
    };
    let device = if name == DEFAULT { None } else { Some(find_device(&name)?) };
    let own = cx.page().default_user_agent();
    let settings = change_emulation(
        cx.page(),
        &[EmulationSetting::Viewport, EmulationSetting::UserAgent],
        |state| {
            state.screen = device.map(device_screen);
            state.user_agent = device.and_then(|device| device_user_agent(device, &own));
        },
    );
    Ok(v1::EmulateDeviceResponse { settings: settings.await? })
}

/// By name, whatever its case, blanks and dashes.
fn find_device(name: &str) -> Result<&'static DevicePreset> {
    let plain = |text: &str| {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let wanted = plain(name);
    DEVICES.iter().find(|device| plain(device.name) == wanted).ok_or_else(|| {
        let names: Vec<_> = DEVICES.iter().map(|device| device.name).collect();
        let (name, names) = (quote(name), names.join(", "));
        invalid(format!("there is no device `{name}`; there are {names}, and default"))
    })
}

fn device_entry(device: &DevicePreset) -> v1::Emulated {
    let kind = if device.mobile { " mobile touch" } else { "" };
    let value = format!("{}x{} scale {}{kind}", device.width, device.height, device.scale);
    v1::Emulated { name: device.name.to_owned(), value }
}

fn device_screen(device: &DevicePreset) -> EmulatedScreen {
    let DevicePreset { width, height, scale, mobile, touch, .. } = *device;
    EmulatedScreen { viewport: Viewport { width, height, scale, mobile }, has_touch: touch }
}

/// The user agent of a device, with the version of the browser that runs.
fn device_user_agent(device: &DevicePreset, own: &str) -> Option<String> {
    let version = own.split("Chrome/").nth(1).and_then(|rest| rest.split(' ').next());
    let agent = device.agent.replace("{chrome}", version.unwrap_or("140.0.0.0"));
    (!agent.is_empty()).then_some(agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_found_as_people_write_them() {
        for name in ["iPhone 15", "iphone15", "IPHONE-15", "iphone_15"] {
            assert_eq!(find_device(name).unwrap().name, "iPhone 15", "{name}");
        }
        let error = find_device("Nokia 3310").err().unwrap().to_string();
        assert!(error.contains("Pixel 9"), "{error}");
    }

    #[test]
    fn android_has_the_version_of_the_browser() {
        let own = "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/156.0.0.0 Safari/537.36";
        let pixel = device_user_agent(find_device("pixel 9").unwrap(), own).unwrap();
        assert!(pixel.contains("Chrome/156.0.0.0 Mobile"), "{pixel}");
        assert_eq!(device_user_agent(find_device("desktop").unwrap(), own), None);
    }
}
