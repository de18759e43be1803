//! Where a command goes that is called with the remote of a fleet. Skills are of this machine, with
//! the trust that their user gives them: the daemon of the project runs them here, and they drive
//! the browser of the fleet.

use browse_proto::{Command, Reason};

use crate::{
    failure::{Failure, Result},
    globals::Globals,
};

/// Where a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandPlace {
    /// To the gateway of the fleet.
    Gateway,
    /// To the daemon of the project.
    Here,
}

/// The service of the commands of skills.
const SKILL_SERVICE: &str = "SkillService";

/// Commands of skills that use the browser of the daemon.
const BROWSER_COMMANDS: [&str; 5] = [
    "check_skills",
    "start_skill_record",
    "show_skill_record",
    "stop_skill_record",
    "save_skill_record",
];

/// Commands of skills that an agent calls itself; it has others run them.
const AGENT_COMMANDS: [&str; 2] = ["list_skills", "show_skill"];

/// The scope that those need.
const AGENT_SCOPE: &str = "meta";

impl CommandPlace {
    /// Where `command` goes with a fleet as the remote.
    ///
    /// # Errors
    /// `FLEET_DENIED`: it is about the browser of the daemon.
    pub fn of(command: &Command, globals: &Globals) -> Result<Self> {
        if command.service != SKILL_SERVICE {
            return Ok(Self::Gateway);
        }
        // The call of an agent: the daemon of the project takes it for its owner.
        if let Some(scopes) = globals.scopes {
            let is_held = scopes.split(',').any(|scope| scope == AGENT_SCOPE);
            return Ok(match is_held && AGENT_COMMANDS.contains(&command.function) {
                true => Self::Here,
                false => Self::Gateway,
            });
        }
        if BROWSER_COMMANDS.contains(&command.function) {
            let message = format!("`{}` uses the browser of this machine", command.name);
            return Err(Failure::new(Reason::FleetDenied, message)
                .with_hint("Leave `--remote` out, and unset BROWSE_REMOTE"));
        }
        Ok(Self::Here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, scopes: Option<&'static str>) -> Option<CommandPlace> {
        let command = Command::by_name(name).expect("a command");
        CommandPlace::of(command, &Globals { scopes, ..Globals::default() }).ok()
    }

    #[test]
    fn skills_run_here_and_what_needs_the_browser_of_the_daemon_is_refused() {
        for name in ["skill run", "skill list", "skill show", "skill test", "skill trust"] {
            assert_eq!(place(name, None), Some(CommandPlace::Here), "{name}");
        }
        for name in ["skill check", "skill record start", "skill record save"] {
            assert_eq!(place(name, None), None, "{name}");
        }
        for name in ["goto", "session new", "context", "pair list"] {
            assert_eq!(place(name, None), Some(CommandPlace::Gateway), "{name}");
        }
    }

    #[test]
    fn the_call_of_an_agent_reaches_the_daemon_to_list_skills_alone() {
        for command in Command::all() {
            let is_listing = ["skill list", "skill show"].contains(&command.name);
            let expected = match is_listing {
                true => CommandPlace::Here,
                false => CommandPlace::Gateway,
            };
            assert_eq!(place(command.name, Some("read,write,meta")), Some(expected));
            assert_eq!(place(command.name, Some("read")), Some(CommandPlace::Gateway));
        }
    }
}
