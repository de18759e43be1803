//! Runs a property for a time instead of for a number of inputs.

use std::{
    env,
    fmt::Debug,
    time::{Duration, Instant},
};

use proptest::{
    strategy::Strategy,
    test_runner::{Config, TestRunner},
};

/// Inputs between two looks at the clock.
const BLOCK: u32 = 500;

/// Feeds `property` until `FUZZ_SECONDS` are over, 2 when it is not set. An
/// input that makes it panic is made as small as it gets, and shown.
pub fn run<S: Strategy>(name: &str, inputs: &S, property: impl Fn(S::Value))
where
    S::Value: Debug,
{
    let seconds = env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let config = Config { cases: BLOCK, failure_persistence: None, ..Config::default() };
    let (begun, mut count) = (Instant::now(), 0_u64);
    while begun.elapsed() < Duration::from_secs(seconds) {
        // A runner counts its successes, so each block has its own.
        let outcome = TestRunner::new(config.clone()).run(inputs, |input| {
            property(input);
            Ok(())
        });
        if let Err(failure) = outcome {
            panic!("{name}: {failure}");
        }
        count += u64::from(BLOCK);
    }
    println!("fuzz: {name}: {count} inputs in {} s", begun.elapsed().as_secs());
}
