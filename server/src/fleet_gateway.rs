//! The client of the gateway of a fleet that the user has signed in to, for what is relayed there
//! from this machine: the dashboard of a fleet, and skills that drive its browser.

mod gateway_client;

mod call_content;

mod sign_in;

mod remote_file;
mod renewal;

mod gateway_connection;
mod gateway_error;
mod gateway_tls;

pub use call_content::CallContent;
pub use gateway_client::GatewayClient;
pub use gateway_error::foreign;
pub use renewal::installed_program;
pub use sign_in::FleetSignIn;
