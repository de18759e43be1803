//! What a new session costs: its time, and the processor time of the gateway for it.

use std::time::Duration;

use serde::Serialize;

use super::{
    client::{Call, Protocol},
    failure::Outcome,
    latency::time,
    stats::{Summary, milliseconds},
    world::World,
};

/// Sessions that were opened by `session new`, one after the other. The API server that is played
/// takes no time for a write, and pods open a session at once.
#[derive(Clone, Debug, Serialize)]
pub struct Openings {
    /// Sessions that the gateway knew before.
    pub routes: usize,
    /// Times of those that took a warm pod, in milliseconds: a write, two connections to the pod,
    /// its token, and the call.
    pub warm_pod: Summary,
    /// Times of those that got a place in a pod of their tenant: a write and the call.
    pub own_pod: Summary,
    /// Milliseconds of processor time of the gateway for one session, on average.
    pub cpu_ms: f64,
    /// Claims that were written for one session, on average.
    pub writes: f64,
}

/// Opens these sessions, for which warm pods have room.
///
/// # Errors
/// A call fails.
pub async fn measure(world: &World, routes: usize, sessions: &[String]) -> Outcome<Openings> {
    let mut connection = world.connect(Protocol::Json).await?;
    let (mut warm_pod, mut own_pod) = (Vec::new(), Vec::new());
    let (cpu_before, writes_before) = (world.gate.cpu_time()?, world.store.writes());
    let mut first_claims = writes_before.first_claims;
    for session in sessions {
        let took = time(&mut connection, &Call::open(session)?, session).await?;
        let claims = world.store.writes().first_claims;
        let times: &mut Vec<Duration> =
            if claims > first_claims { &mut warm_pod } else { &mut own_pod };
        times.push(took);
        first_claims = claims;
    }
    let cpu = world.gate.cpu_time()?.saturating_sub(cpu_before);
    let writes = world.store.writes().claims - writes_before.claims;
    let count = sessions.len().max(1) as f64;
    Ok(Openings {
        routes,
        warm_pod: Summary::of(&warm_pod),
        own_pod: Summary::of(&own_pod),
        cpu_ms: milliseconds(cpu) / count,
        writes: writes as f64 / count,
    })
}

/// Names of sessions that no others have.
pub fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}-{number}")).collect()
}
