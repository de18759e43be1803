//! The world of these tests.

mod caller;
mod identities;
mod played_pod;
mod pod_answers;
mod world;

pub use caller::{Answer, LIMIT, call, eventually, send};
pub use identities::{TENANTS, api_keys, authority, write_identity};
pub use played_pod::FakePod;
pub use world::World;
