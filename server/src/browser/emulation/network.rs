//! A slower machine, and a worse network or none.

use browse_proto::v1;

use super::{
    invalid,
    settings::{Setting, change},
};
use crate::{chromium::Conditions, dispatch::Context, error::Result};

/// How many times slower the processor can be.
const SLOWDOWNS: std::ops::RangeInclusive<f64> = 1.0..=20.0;

/// Longest wait before an answer, in milliseconds.
const MOST_LATENCY: u32 = 60_000;

/// Takes the session off the network, or back on.
pub async fn emulate_offline(
    cx: &Context,
    request: v1::EmulateOfflineRequest,
) -> Result<v1::EmulateOfflineResponse> {
    let off = request.state() == v1::Switch::Off;
    let settings = change(cx.page(), &[Setting::Network], |state| state.offline = !off);
    Ok(v1::EmulateOfflineResponse { settings: settings.await? })
}

/// Slows the processor down.
pub async fn emulate_cpu(
    cx: &Context,
    request: v1::EmulateCpuRequest,
) -> Result<v1::EmulateCpuResponse> {
    let times = request.slowdown;
    if !SLOWDOWNS.contains(&times) {
        return Err(invalid(format!("`<slowdown>` is {times}, and can be 1 to 20")));
    }
    let slowdown = (times > 1.0).then_some(times);
    let settings = change(cx.page(), &[Setting::Cpu], |state| state.slowdown = slowdown);
    Ok(v1::EmulateCpuResponse { settings: settings.await? })
}

/// Slows the network down.
pub async fn emulate_network(
    cx: &Context,
    request: v1::EmulateNetworkRequest,
) -> Result<v1::EmulateNetworkResponse> {
    let named = named(request.speed());
    let own = request.down.is_some() || request.up.is_some() || request.latency.is_some();
    let Conditions { down, up, latency } =
        named.unwrap_or(Conditions { down: 0, up: 0, latency: 0 });
    let conditions = Conditions {
        down: request.down.unwrap_or(down),
        up: request.up.unwrap_or(up),
        latency: request.latency.unwrap_or(latency),
    };
    if conditions.latency > MOST_LATENCY {
        let message =
            format!("`--latency` is {}, and can be 0 to {MOST_LATENCY}", conditions.latency);
        return Err(invalid(message));
    }
    if request.speed() == v1::NetworkSpeed::Unspecified && !own {
        return Err(invalid("neither a speed nor `--down`, `--up` or `--latency` is given"));
    }
    let network = (named.is_some() || own).then_some(conditions);
    let settings = change(cx.page(), &[Setting::Network], |state| state.network = network);
    Ok(v1::EmulateNetworkResponse { settings: settings.await? })
}

fn named(speed: v1::NetworkSpeed) -> Option<Conditions> {
    let conditions = |down, up, latency| Some(Conditions { down, up, latency });
    match speed {
        v1::NetworkSpeed::Unspecified | v1::NetworkSpeed::Default => None,
        v1::NetworkSpeed::Slow3g => conditions(400, 400, 2_000),
        v1::NetworkSpeed::Fast3g => conditions(1_600, 750, 560),
        v1::NetworkSpeed::NetworkSpeed4g => conditions(9_000, 9_000, 170),
        v1::NetworkSpeed::Wifi => conditions(30_000, 15_000, 2),
    }
}
