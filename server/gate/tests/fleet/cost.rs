//! The benchmark of the gateway (`make bench-fleet`) runs, in a small size: each figure is measured,
//! and calls come to the pods that they are for.

use crate::gateway_cost::{
    GATE,
    options::{Options, Size},
    run::run,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_benchmark_measures_each_figure() {
    let size = Size::QUICK;
    let report = run(&Options::new(GATE.into(), size)).await;
    let report = report.unwrap_or_else(|failure| panic!("{failure}"));
    // Two protocols, with few routes and with all.
    assert_eq!(report.latency.len(), 4);
    for row in &report.latency {
        assert_eq!((row.direct.count, row.gateway.count), (size.pairs, size.pairs));
        assert!(row.direct.p50 > 0.0 && row.gateway.p50 > 0.0, "{row:?}");
    }
    assert_eq!(report.load.len(), 4 * size.connections.len());
    assert!(report.load.iter().all(|row| row.calls > 0 && !row.is_pinned), "{:?}", report.load);
    let [early, late] = report.openings.as_slice() else { panic!("{:?}", report.openings) };
    let of_pods = |pods: usize| (pods, pods * (size.sessions_per_pod - 1));
    assert_eq!((early.warm_pod.count, early.own_pod.count), of_pods(size.pods - 1));
    assert_eq!((late.warm_pod.count, late.own_pod.count), of_pods(size.late_pods));
    // A write for each session, by the count of the API server.
    assert_eq!((early.writes, late.writes), (1.0, 1.0));
    assert_eq!(report.writes.first_claims as usize, size.pods + size.late_pods);
    assert_eq!(report.writes.deletions, 0);
    let last = report.memory.last().expect("it was measured");
    assert!(last.fleet.sessions == size.routes && last.memory.resident > 1 << 20, "{last:?}");
    let text = report.to_string();
    assert!(text.contains("| played | 30 | `js 1` | gRPC, HTTP/2 |"), "{text}");
}
