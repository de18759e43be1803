//! The figures, as tables in Markdown and as JSON.

use std::{fmt, fs, time::Duration};

use serde::Serialize;

use super::{
    api_store::Writes, latency::PairedLatency, load::Load, openings::Openings, process::Memory,
    real_pod::PodFigures,
};

/// Bytes of a MiB.
const MIB: f64 = (1 << 20) as f64;

/// All figures of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where it ran.
    pub machine: Machine,
    /// Commands through the gateway beside direct ones.
    pub latency: Vec<PairedLatency>,
    /// Calls a second.
    pub load: Vec<Load>,
    /// New sessions.
    pub openings: Vec<Openings>,
    /// Memory of the gateway.
    pub memory: Vec<MemoryFigure>,
    /// The gateway without calls.
    pub idle: Vec<IdleFigure>,
    /// Writes at the API server, in the run that opened sessions.
    pub writes: Writes,
    /// A real pod, if there was one.
    pub pod: Option<PodFigures>,
}

/// Where a run was.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor.
    pub processor: String,
    /// The release of the kernel.
    pub kernel: String,
    /// Cores that the benchmark may use.
    pub cores: usize,
    /// Whether the benchmark was built for speed.
    pub is_optimized: bool,
}

/// What the gateway knows at a time.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FleetSize {
    /// Pods with a tenant.
    pub pods: usize,
    /// Their sessions.
    pub sessions: usize,
    /// Pods to which the gateway has a connection.
    pub connected: usize,
}

/// Memory of the gateway.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MemoryFigure {
    /// What it knows.
    pub fleet: FleetSize,
    /// Its memory, in bytes.
    pub memory: Memory,
}

/// The gateway without calls.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct IdleFigure {
    /// What it knows.
    pub fleet: FleetSize,
    /// Cores that it uses, on average: the leading replica asks each pod how it is, every 5 s.
    pub cores: f64,
}

impl Report {
    /// No figures yet.
    pub fn new(machine: Machine) -> Self {
        Self {
            machine,
            latency: Vec::new(),
            load: Vec::new(),
            openings: Vec::new(),
            memory: Vec::new(),
            idle: Vec::new(),
            writes: Writes::default(),
            pod: None,
        }
    }
}

impl Machine {
    /// This machine; what it does not report is empty.
    pub fn read(cores: usize) -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let processors = text("/proc/cpuinfo");
        let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
        let processor = model.unwrap_or_default().trim_start_matches([':', ' ', '\t']).to_owned();
        let kernel = text("/proc/sys/kernel/osrelease").trim().to_owned();
        Self { processor, kernel, cores, is_optimized: !cfg!(debug_assertions) }
    }
}

impl IdleFigure {
    /// The cores of a process that used this processor time in this time.
    pub fn new(fleet: FleetSize, used: Duration, time: Duration) -> Self {
        Self { fleet, cores: used.as_secs_f64() / time.as_secs_f64() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { processor, kernel, cores, is_optimized } = &self.machine;
        let build = if *is_optimized { "release build" } else { "debug build: not a measurement" };
        writeln!(f, "{processor}, {cores} cores, kernel {kernel}, {build}\n")?;
        self.write_latency(f)?;
        self.write_load(f)?;
        self.write_openings(f)?;
        self.write_gateway(f)?;
        let Writes { claims, first_claims, deletions, leases } = self.writes;
        writeln!(
            f,
            "Writes at the API server: {claims} claims, {first_claims} of them on warm pods; \
             {deletions} deletions; {leases} of the Lease\n"
        )?;
        self.pod.as_ref().map_or(Ok(()), |pod| write_pod(f, pod))
    }
}

impl Report {
    fn write_latency(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Milliseconds of a call, p50 (p95, p99)\n")?;
        writeln!(
            f,
            "| pod | routes | command | protocol | direct | gateway | p50 of the difference |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for row in &self.latency {
            let PairedLatency { pod, routes, command, protocol, direct, gateway, added_p50 } = row;
            writeln!(
                f,
                "| {pod} | {routes} | `{command}` | {protocol} | {:.3} ({:.3}, {:.3}) | \
                 {:.3} ({:.3}, {:.3}) | {added_p50:.3} |",
                direct.p50, direct.p95, direct.p99, gateway.p50, gateway.p95, gateway.p99
            )?;
        }
        writeln!(f)
    }

    fn write_load(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Calls a second\n")?;
        writeln!(
            f,
            "| routes | protocol | connections | calls/s | cores of the gateway | CPU µs a call | \
             calls/s of one core | p50 (p99), ms |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        for row in &self.load {
            let Load { routes, protocol, connections, times, .. } = row;
            writeln!(
                f,
                "| {routes} | {protocol} | {connections} | {:.0} | {:.2}{} | {:.0} | {:.0} | \
                 {:.2} ({:.2}) |",
                row.calls_per_second,
                row.cores,
                if row.is_pinned { ", one core" } else { "" },
                row.cpu_us_per_call,
                row.calls_per_core,
                times.p50,
                times.p99,
            )?;
        }
        writeln!(f)
    }

    fn write_openings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Milliseconds of `session new`, p50 (p95)\n")?;
        writeln!(
            f,
            "| routes | takes a warm pod | in a pod of the tenant | CPU ms a session | writes a session |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for Openings { routes, warm_pod, own_pod, cpu_ms, writes } in &self.openings {
            writeln!(
                f,
                "| {routes} | {:.2} ({:.2}) | {:.2} ({:.2}) | {cpu_ms:.2} | {writes:.2} |",
                warm_pod.p50, warm_pod.p95, own_pod.p50, own_pod.p95
            )?;
        }
        writeln!(f)
    }

    fn write_gateway(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Memory of the gateway, in MiB\n")?;
        writeln!(f, "| pods | sessions | connected pods | resident | written by it |")?;
        writeln!(f, "|---|---|---|---|---|")?;
        for MemoryFigure { fleet, memory } in &self.memory {
            let FleetSize { pods, sessions, connected } = fleet;
            writeln!(
                f,
                "| {pods} | {sessions} | {connected} | {:.1} | {:.1} |",
                memory.resident as f64 / MIB,
                memory.anonymous as f64 / MIB
            )?;
        }
        writeln!(f)?;
        for IdleFigure { fleet: FleetSize { pods, sessions, .. }, cores } in &self.idle {
            writeln!(f, "Without calls, {pods} pods with {sessions} sessions: {cores:.3} cores\n")?;
        }
        Ok(())
    }
}

fn write_pod(f: &mut fmt::Formatter<'_>, pod: &PodFigures) -> fmt::Result {
    let PodFigures { empty_bytes, full_bytes, sessions, session_bytes, .. } = pod;
    writeln!(
        f,
        "A real pod: {:.0} MiB before the first page, {:.0} MiB with {sessions} sessions; {:.1} MiB \
         for each further session; {:.1} ms of processor time a command, which took {:.1} ms p50 \
         ({:.1} ms p95)",
        *empty_bytes as f64 / MIB,
        *full_bytes as f64 / MIB,
        *session_bytes as f64 / MIB,
        pod.cpu_ms_per_command,
        pod.commands.p50,
        pod.commands.p95
    )
}
