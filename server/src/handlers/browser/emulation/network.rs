//! A slower machine, and a worse network or none.

use browse_proto::v1;

use super::{
    invalid,
    settings::{EmulationSetting, change_emulation},
};
use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::NetworkConditions;

/// How many times slower the processor can be.
const SLOWDOWNS: std::ops::RangeInclusive<f64> = 1.0..=20.0;

/// Longest wait before an answer, in milliseconds.
const MAX_LATENCY_MS: u32 = 60_000;

/// Takes the session off the network, or back on.
pub async fn emulate_offline(
    cx: &CallContext,
    request: v1::EmulateOfflineRequest,
) -> Result<v1::EmulateOfflineResponse> {
    let off = request.state() == v1::Switch::Off;
    let settings =
        change_emulation(cx.page(), &[EmulationSetting::Network], |state| state.offline = !off);
    Ok(v1::EmulateOfflineResponse { settings: settings.await? })
}

/// Slows the processor down.
pub async fn emulate_cpu(
    cx: &CallContext,
    request: v1::EmulateCpuRequest,
) -> Result<v1::EmulateCpuResponse> {
    let times = request.slowdown;
    if !SLOWDOWNS.contains(&times) {
        return Err(invalid(format!("`<slowdown>` is {times}, and can be 1 to 20")));
    }
    let slowdown = (times > 1.0).then_some(times);
    let settings = change_emulation(cx.page(), &[EmulationSetting::Cpu], |state| {
        state.cpu_slowdown = slowdown
    });
    Ok(v1::EmulateCpuResponse { settings: settings.await? })
}

/// Slows the network down.
pub async fn emulate_network(
    cx: &CallContext,
    request: v1::EmulateNetworkRequest,
) -> Result<v1::EmulateNetworkResponse> {
    let named = preset(request.speed());
    let own = request.down.is_some() || request.up.is_some() || request.latency.is_some();
    let NetworkConditions { download_kbps: down, upload_kbps: up, latency_ms: latency } =
        named.unwrap_or(NetworkConditions { download_kbps: 0, upload_kbps: 0, latency_ms: 0 });
    let conditions = NetworkConditions {
        download_kbps: request.down.unwrap_or(down),
        upload_kbps: request.up.unwrap_or(up),
        latency_ms: request.latency.unwrap_or(latency),
    };
    if conditions.latency_ms > MAX_LATENCY_MS {
        let message =
            format!("`--latency` is {}, and can be 0 to {MAX_LATENCY_MS}", conditions.latency_ms);
        return Err(invalid(message));
    }
    if request.speed() == v1::NetworkSpeed::Unspecified && !own {
        return Err(invalid("neither a speed nor `--down`, `--up` or `--latency` is given"));
    }
    let network = (named.is_some() || own).then_some(conditions);
    let settings =
        change_emulation(cx.page(), &[EmulationSetting::Network], |state| state.network = network);
    Ok(v1::EmulateNetworkResponse { settings: settings.await? })
}

fn preset(speed: v1::NetworkSpeed) -> Option<NetworkConditions> {
    let conditions = |down, up, latency| {
        Some(NetworkConditions { download_kbps: down, upload_kbps: up, latency_ms: latency })
    };
    match speed {
        v1::NetworkSpeed::Unspecified | v1::NetworkSpeed::Default => None,
        v1::NetworkSpeed::Slow3g => conditions(400, 400, 2_000),
        v1::NetworkSpeed::Fast3g => conditions(1_600, 750, 560),
        v1::NetworkSpeed::NetworkSpeed4g => conditions(9_000, 9_000, 170),
        v1::NetworkSpeed::Wifi => conditions(30_000, 15_000, 2),
    }
}
