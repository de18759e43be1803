//! What many times come to.

use std::time::Duration;

use serde::Serialize;

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Summary {
    /// How many there were.
    pub count: usize,
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
}

impl Summary {
    /// The summary of these times; of none, all zero.
    pub fn of(times: &[Duration]) -> Self {
        let milliseconds: Vec<f64> = times.iter().map(|time| milliseconds(*time)).collect();
        Self {
            count: times.len(),
            p50: quantile(&milliseconds, 0.5),
            p95: quantile(&milliseconds, 0.95),
            p99: quantile(&milliseconds, 0.99),
        }
    }
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The value below which this share of `values` lies, between two of them by their distance; 0
/// when there are none.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = share * last as f64;
    let (low, high) = (at.floor() as usize, (at.ceil() as usize).min(last));
    sorted[low] + (sorted[high] - sorted[low]) * (at - at.floor())
}
