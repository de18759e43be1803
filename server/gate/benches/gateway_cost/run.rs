//! The steps of a run: first one gateway on all cores, for times and memory, then one on a core of
//! its own, for calls a second.

use tokio::time::{Instant, sleep};

use super::{
    client::{Call, Protocol},
    failure::Outcome,
    latency::{self, LatencyLabel, Paths},
    load::{self, LoadSettings},
    openings::{self, names},
    options::{Options, Size},
    played_pods::PlayedPod,
    process, real_pod,
    report::{FleetSize, IdleFigure, Machine, MemoryFigure, Report},
    world::World,
};

/// Files that are open beside those of the pods.
const OTHER_FILES: u64 = 500;

/// Listeners and connections of one pod.
const FILES_OF_A_POD: u64 = 3;

/// Pods whose sessions are called under load, when there are as many.
const LOADED_POD_COUNT: usize = 10;

/// Measures everything that `options` ask for.
///
/// # Errors
/// A step failed.
pub async fn run(options: &Options) -> Outcome<Report> {
    process::check_open_files(FILES_OF_A_POD * options.size.all_pods() as u64 + OTHER_FILES)?;
    let cores = process::allowed_cores()?;
    let mut report = Report::new(Machine::read(cores.len()));
    measure_sessions(options, &mut report).await?;
    measure_load(options, &cores, &mut report).await?;
    Ok(report)
}

/// Times, memory and new sessions.
async fn measure_sessions(options: &Options, report: &mut Report) -> Outcome<()> {
    let size = options.size;
    let per_pod = size.sessions_per_pod;
    eprintln!("gateway-cost: a gateway starts");
    let mut world = World::start(options, None).await?;
    observe(&world, size, report, FleetSize { pods: 0, sessions: 0, connected: 0 }).await?;

    eprintln!("gateway-cost: one call at a time");
    let pods = world.add_warm(1).await?;
    let first = names("first", per_pod);
    openings::measure(&world, 0, &first).await?;
    compare(&world, &pods[0], &first[0], per_pod, size, report).await?;
    if let Some(program) = &options.browsed {
        eprintln!("gateway-cost: a real pod");
        let found = real_pod::measure(&mut world, options, program, 2 * per_pod).await?;
        report.latency.extend(found.0);
        report.pod = Some(found.1);
        world.gate.wait_for("browse_gate_sessions", per_pod).await?;
    }

    eprintln!("gateway-cost: {} sessions in {} pods", size.pods * per_pod, size.pods);
    world.add_warm(size.pods - 1).await?;
    let more = names("more", (size.pods - 1) * per_pod);
    report.openings.push(openings::measure(&world, per_pod, &more).await?);
    let known = size.pods * per_pod;
    let fleet = FleetSize { pods: size.pods, sessions: known, connected: size.pods };
    observe(&world, size, report, fleet).await?;

    eprintln!("gateway-cost: {} routes", size.routes);
    world.fill(size.routes, known, per_pod).await?;
    let fleet = FleetSize { pods: size.routes.div_ceil(per_pod), sessions: size.routes, ..fleet };
    report.memory.push(MemoryFigure { fleet, memory: world.gate.memory()? });
    if size.idle_time.is_some() {
        world.wait_for_round().await?;
        observe(&world, size, report, FleetSize { connected: fleet.pods, ..fleet }).await?;
    }
    compare(&world, &pods[0], &first[0], size.routes, size, report).await?;
    world.add_warm(size.late_pods).await?;
    let late = names("late", size.late_pods * per_pod);
    report.openings.push(openings::measure(&world, size.routes, &late).await?);
    report.writes = world.store.writes();
    Ok(())
}

/// Calls a second, with few routes and with many.
async fn measure_load(options: &Options, cores: &[usize], report: &mut Report) -> Outcome<()> {
    let size = options.size;
    let per_pod = size.sessions_per_pod;
    let core = match cores {
        [gate, others @ ..] if options.pins && !others.is_empty() => {
            process::pin_self(others)?;
            Some(*gate)
        }
        _ => None,
    };
    eprintln!("gateway-cost: calls a second");
    let mut world = World::start(options, core).await?;
    let pods = size.pods.min(LOADED_POD_COUNT);
    world.add_warm(pods).await?;
    let sessions = names("load", pods * per_pod);
    openings::measure(&world, 0, &sessions).await?;
    for routes in [sessions.len(), size.routes] {
        world.fill(routes, sessions.len(), per_pod).await?;
        if size.idle_time.is_some() {
            world.wait_for_round().await?;
        }
        for protocol in Protocol::ALL {
            for connections in size.connections {
                let settings = LoadSettings {
                    protocol,
                    connections: *connections,
                    routes,
                    time: size.load_time,
                    is_pinned: core.is_some(),
                };
                report.load.push(load::measure(&world, &sessions, settings).await?);
            }
        }
    }
    Ok(())
}

/// One command by both protocols, direct and through the gateway.
async fn compare(
    world: &World,
    pod: &PlayedPod,
    session: &str,
    routes: usize,
    size: Size,
    report: &mut Report,
) -> Outcome<()> {
    let (direct, gateway) = (world.pod(pod.address, &pod.uid).await?, world.gateway()?);
    let paths = Paths { connector: &world.connector, pod: &direct, gateway: &gateway, session };
    let call = Call::js()?;
    for protocol in Protocol::ALL {
        let label = LatencyLabel { pod: "played", routes, command: "js 1" };
        let found = latency::measure(&paths, protocol, label, &call, size.pairs).await?;
        report.latency.push(found);
    }
    Ok(())
}

/// Memory of the gateway, and what it does without calls.
async fn observe(world: &World, size: Size, report: &mut Report, fleet: FleetSize) -> Outcome<()> {
    report.memory.push(MemoryFigure { fleet, memory: world.gate.memory()? });
    if let Some(time) = size.idle_time {
        let (begun, before) = (Instant::now(), world.gate.cpu_time()?);
        sleep(time).await;
        let used = world.gate.cpu_time()?.saturating_sub(before);
        report.idle.push(IdleFigure::new(fleet, used, begun.elapsed()));
    }
    Ok(())
}
