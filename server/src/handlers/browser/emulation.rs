//! Emulation: what the tabs of a session pretend to be. Each command changes
//! one part of one state; see `chromium/emulation/`.

mod agent;
mod device;
mod devices;
mod header;
mod location;
mod media;
mod network;
mod settings;
mod viewport;

pub use agent::user_agent;
pub use device::emulate_device;
pub use header::header;
pub use location::{emulate_geo, emulate_locale, emulate_timezone};
pub use media::emulate_media;
pub use network::{emulate_cpu, emulate_network, emulate_offline};
pub use settings::{emulate, reset_emulation};
pub use viewport::viewport;

use browse_proto::Reason;

use browse_base::Error;

/// The word that takes a setting back.
const DEFAULT: &str = "default";

fn invalid(message: impl Into<String>) -> Error {
    Error::new(Reason::ArgumentInvalid, message)
}
