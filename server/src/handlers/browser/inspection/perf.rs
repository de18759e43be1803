//! How fast the page loaded.

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;

/// Answers timings and Web Vitals of the page.
pub async fn perf(cx: &CallContext, _: v1::PerfRequest) -> Result<v1::PerfResponse> {
    let timings = cx.engine().timings().await?;
    let tenths = |value: Option<f64>| value.map(|value| (value * 10.0).round() / 10.0);
    Ok(v1::PerfResponse {
        ttfb_ms: tenths(timings.ttfb),
        fcp_ms: tenths(timings.fcp),
        lcp_ms: tenths(timings.lcp),
        lcp_element: timings.lcp_element(),
        // A good score lies below 0.1, so tenths would hide it.
        cls: timings.cls.map(|shift| (shift * 1e4).round() / 1e4),
        inp_ms: tenths(timings.inp),
        interactions: timings.interactions,
        dom_content_loaded_ms: tenths(timings.dom_content_loaded),
        load_ms: tenths(timings.load),
        dns_ms: tenths(timings.dns),
        connect_ms: tenths(timings.connect),
        download_ms: tenths(timings.download),
        transfer_bytes: timings.transfer.map(|bytes| bytes as u64),
        resources: timings.resources,
        navigation: timings.navigation,
    })
}
