//! Calls a second through the gateway, and the processor time of one: as many connections as asked
//! for, with one call at a time on each.

use std::time::{Duration, Instant};

use futures::future::try_join_all;
use serde::Serialize;

use super::{
    client::{Call, Connection, Protocol},
    failure::{Failure, Outcome},
    latency::time,
    stats::Summary,
    world::World,
};

/// Step from one session to the next: a prime, so that the sessions of a connection lie far apart.
const SESSION_STEP: usize = 7919;

/// A load.
#[derive(Clone, Copy, Debug)]
pub struct LoadSettings {
    /// How the calls are made.
    pub protocol: Protocol,
    /// Connections.
    pub connections: usize,
    /// Sessions that the gateway knows.
    pub routes: usize,
    /// How long.
    pub time: Duration,
    /// Whether the gateway is kept on one core, which nothing else of the benchmark uses.
    pub is_pinned: bool,
}

/// What the gateway did under a load.
#[derive(Clone, Debug, Serialize)]
pub struct Load {
    /// How the calls were made.
    pub protocol: Protocol,
    /// Connections, with one call at a time on each.
    pub connections: usize,
    /// Sessions that the gateway knew.
    pub routes: usize,
    /// Whether it was kept on one core.
    pub is_pinned: bool,
    /// Calls.
    pub calls: usize,
    /// Calls a second.
    pub calls_per_second: f64,
    /// Cores that the gateway used, on average.
    pub cores: f64,
    /// Microseconds of processor time of the gateway for each call.
    pub cpu_us_per_call: f64,
    /// Calls a second for which one core of the gateway is enough, by that.
    pub calls_per_core: f64,
    /// Times of the calls, in milliseconds.
    pub times: Summary,
}

/// Calls `js 1` in the sessions for the time of the load.
///
/// # Errors
/// A call fails.
pub async fn measure(world: &World, sessions: &[String], settings: LoadSettings) -> Outcome<Load> {
    let call = Call::js()?;
    let mut connections = Vec::new();
    for number in 0..settings.connections {
        let mut connection = world.connect(settings.protocol).await?;
        connection.call(&call, session_at(sessions, number, 0)).await?;
        connections.push(connection);
    }
    let cpu_before = world.gate.cpu_time()?;
    let begun = Instant::now();
    let until = begun + settings.time;
    let workers = connections.into_iter().enumerate().map(|(number, connection)| {
        let worker = Worker { number, connection, call: call.clone(), sessions: sessions.to_vec() };
        let running = tokio::spawn(worker.run(until));
        async move {
            let ended = running.await;
            ended.unwrap_or_else(|error| Err(Failure::general(format!("a connection: {error}"))))
        }
    });
    let times = try_join_all(workers).await?.concat();
    let elapsed = begun.elapsed().as_secs_f64();
    let cpu = world.gate.cpu_time()?.saturating_sub(cpu_before).as_secs_f64();
    let calls = times.len();
    Ok(Load {
        protocol: settings.protocol,
        connections: settings.connections,
        routes: settings.routes,
        is_pinned: settings.is_pinned,
        calls,
        calls_per_second: calls as f64 / elapsed,
        cores: cpu / elapsed,
        cpu_us_per_call: ratio(cpu * 1e6, calls as f64),
        calls_per_core: ratio(calls as f64, cpu),
        times: Summary::of(&times),
    })
}

struct Worker {
    number: usize,
    connection: Connection,
    call: Call,
    sessions: Vec<String>,
}

impl Worker {
    /// Calls until then, and returns the time of each call.
    async fn run(mut self, until: Instant) -> Outcome<Vec<Duration>> {
        let mut times = Vec::new();
        while Instant::now() < until {
            let session = session_at(&self.sessions, self.number, times.len());
            times.push(time(&mut self.connection, &self.call, session).await?);
        }
        Ok(times)
    }
}

fn session_at(sessions: &[String], connection: usize, call: usize) -> &str {
    &sessions[(connection + call).wrapping_mul(SESSION_STEP) % sessions.len()]
}

/// A ratio; 0 of what was too short to be counted.
fn ratio(of: f64, to: f64) -> f64 {
    if to > 0.0 { of / to } else { 0.0 }
}
