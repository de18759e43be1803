//! Diagnostics: the protocol of the browser itself, and traces.

mod allowed_methods;
mod cdp;
mod step_trace;
mod trace;

pub use cdp::cdp;
pub use step_trace::{
    list_traces, read_visible_trace, remove_trace, save_trace, show_step, show_trace,
    start_step_trace, stop_step_trace, trace_picture,
};
pub use trace::{start_trace, stop_trace};

/// The size of a file in words.
fn file_size(bytes: usize) -> String {
    match bytes {
        ..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::file_size;

    #[test]
    fn a_small_file_has_a_size() {
        let sizes = [0, 1_023, 1_024, 48_200, 1_048_576, 5 << 20].map(file_size);
        let words = ["0 bytes", "1023 bytes", "1.0 KiB", "47.1 KiB", "1.0 MiB", "5.0 MiB"];
        assert_eq!(sizes, words);
    }
}
