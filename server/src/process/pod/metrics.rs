//! The metrics of a pod as Prometheus reads them. Names of hosts, sessions and tenants are in none.
//! Format: <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>.

use std::{collections::BTreeMap, fmt::Write as _};

use browse_records::{CommandCounts, DURATION_BUCKETS};

use super::Pod;

/// All metrics.
pub fn text(pod: &Pod) -> String {
    let sessions = pod.daemon.sessions();
    let mut out = String::new();
    let state = |is_it: bool| u64::from(is_it);
    let open = pod.status().sessions.len();
    gauge(&mut out, "browse_sessions", "Open sessions.", open as u64);
    gauge(&mut out, "browse_session_capacity", "Sessions at most.", pod.state.capacity() as u64);
    gauge(&mut out, "browse_tabs", "Open tabs.", sessions.tabs().len() as u64);
    gauge(&mut out, "browse_calls_in_flight", "Calls in flight.", pod.daemon.calls().into());
    gauge(&mut out, "browse_pod_ready", "Whether the browser runs.", state(pod.is_ready()));
    let is_assigned = pod.state.tenant().is_some();
    gauge(&mut out, "browse_pod_assigned", "Whether a tenant has it.", state(is_assigned));
    gauge(&mut out, "browse_pod_draining", "Whether it drains.", state(pod.state.is_draining()));
    let exits = *sessions.browser_handle().watch_exits().borrow();
    head(&mut out, "browse_chromium_restarts_total", "counter", "Times that the browser ended.");
    let _ = writeln!(out, "browse_chromium_restarts_total {exits}");
    if let Some(fleet) = pod.daemon.fleet_sessions() {
        let name = "browse_state_failures_total";
        head(&mut out, name, "counter", "Times that a session was not saved.");
        let _ = writeln!(out, "{name} {}", fleet.failures());
    }
    commands(&mut out, &pod.daemon.activity().counters().snapshot());
    out
}

fn commands(out: &mut String, all: &BTreeMap<&'static str, CommandCounts>) {
    head(out, "browse_commands_total", "counter", "Calls by command and how they ended.");
    for (command, counts) in all {
        for (reason, count) in &counts.outcomes {
            let _ = writeln!(
                out,
                "browse_commands_total{{command=\"{command}\",reason=\"{reason}\"}} {count}"
            );
        }
    }
    head(out, "browse_command_seconds", "histogram", "Time of calls.");
    for (command, counts) in all {
        for (count, bound) in counts.durations.iter().zip(DURATION_BUCKETS) {
            let _ = writeln!(
                out,
                "browse_command_seconds_bucket{{command=\"{command}\",le=\"{bound}\"}} {count}"
            );
        }
        let (calls, seconds) = (counts.calls(), counts.seconds);
        let _ = writeln!(
            out,
            "browse_command_seconds_bucket{{command=\"{command}\",le=\"+Inf\"}} {calls}\n\
             browse_command_seconds_sum{{command=\"{command}\"}} {seconds}\n\
             browse_command_seconds_count{{command=\"{command}\"}} {calls}"
        );
    }
}

fn gauge(out: &mut String, name: &str, help: &str, value: u64) {
    head(out, name, "gauge", help);
    let _ = writeln!(out, "{name} {value}");
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use browse_records::CallCounters;

    use super::*;

    #[test]
    fn calls_are_a_counter_and_a_histogram() {
        let counters = CallCounters::default();
        counters.count("skill run", "ok", Duration::from_millis(300));
        let mut out = String::new();
        commands(&mut out, &counters.snapshot());
        for line in [
            "# TYPE browse_commands_total counter",
            "browse_commands_total{command=\"skill run\",reason=\"ok\"} 1",
            "# TYPE browse_command_seconds histogram",
            "browse_command_seconds_bucket{command=\"skill run\",le=\"0.25\"} 0",
            "browse_command_seconds_bucket{command=\"skill run\",le=\"0.5\"} 1",
            "browse_command_seconds_bucket{command=\"skill run\",le=\"+Inf\"} 1",
            "browse_command_seconds_sum{command=\"skill run\"} 0.3",
            "browse_command_seconds_count{command=\"skill run\"} 1",
        ] {
            assert!(out.lines().any(|found| found == line), "{line}\n{out}");
        }
    }
}
