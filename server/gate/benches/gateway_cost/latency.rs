//! The time of one command: each call to the pod itself beside the same call through the gateway.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{
    client::{Call, Connection, Connector, Endpoint, Protocol},
    failure::Outcome,
    stats::{Summary, milliseconds, quantile},
};

/// Pairs before those that count: connections are made and caches filled.
const WARM_UP: usize = 20;

/// A session as both ways reach it.
pub struct Paths<'a> {
    /// Connects to both.
    pub connector: &'a Connector,
    /// The pod.
    pub pod: &'a Endpoint,
    /// The gateway.
    pub gateway: &'a Endpoint,
    /// The session.
    pub session: &'a str,
}

/// What the gateway adds to a command, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct PairedLatency {
    /// What answered: a pod that is played or a real one.
    pub pod: &'static str,
    /// Sessions that the gateway knew.
    pub routes: usize,
    /// The command.
    pub command: &'static str,
    /// How it was called.
    pub protocol: Protocol,
    /// Calls to the pod itself.
    pub direct: Summary,
    /// Calls through the gateway.
    pub gateway: Summary,
    /// Median of the differences of the two calls of a pair.
    pub added_p50: f64,
}

/// Which figure this is.
#[derive(Clone, Copy, Debug)]
pub struct LatencyLabel {
    /// What answers.
    pub pod: &'static str,
    /// Sessions that the gateway knows.
    pub routes: usize,
    /// The command.
    pub command: &'static str,
}

/// Calls in pairs, one connection for each way. Which of the two comes first changes with each
/// pair.
///
/// # Errors
/// A call fails.
pub async fn measure(
    paths: &Paths<'_>,
    protocol: Protocol,
    label: LatencyLabel,
    call: &Call,
    pairs: usize,
) -> Outcome<PairedLatency> {
    let mut pod = paths.connector.connect(paths.pod, protocol).await?;
    let mut gateway = paths.connector.connect(paths.gateway, protocol).await?;
    let (mut direct_times, mut gateway_times) = (Vec::new(), Vec::new());
    for number in 0..WARM_UP + pairs {
        let (direct, through) = if number % 2 == 0 {
            let direct = time(&mut pod, call, paths.session).await?;
            (direct, time(&mut gateway, call, paths.session).await?)
        } else {
            let through = time(&mut gateway, call, paths.session).await?;
            (time(&mut pod, call, paths.session).await?, through)
        };
        if number >= WARM_UP {
            direct_times.push(direct);
            gateway_times.push(through);
        }
    }
    let pairs = direct_times.iter().zip(&gateway_times);
    let added: Vec<f64> =
        pairs.map(|(direct, through)| milliseconds(*through) - milliseconds(*direct)).collect();
    Ok(PairedLatency {
        pod: label.pod,
        routes: label.routes,
        command: label.command,
        protocol,
        direct: Summary::of(&direct_times),
        gateway: Summary::of(&gateway_times),
        added_p50: quantile(&added, 0.5),
    })
}

/// The time of a call, from its request to the end of its answer.
pub async fn time(connection: &mut Connection, call: &Call, session: &str) -> Outcome<Duration> {
    let begun = Instant::now();
    connection.call(call, session).await?;
    Ok(begun.elapsed())
}
