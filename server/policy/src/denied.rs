//! Commands that the user's own configuration switches off, for every caller.

use std::collections::BTreeMap;

use browse_proto::{Command, Reason};

use browse_base::{Error, Result};

/// The commands that nobody may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeniedCommands {
    /// By the name of a command, the name that the setting has.
    setting_names: BTreeMap<&'static str, String>,
}

impl DeniedCommands {
    /// Reads names as the command line has them. A name stands for the commands that go
    /// on from it as well: `fetch` for `fetch send`, `skill` for all on skills.
    ///
    /// # Errors
    /// The first name that no command has.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut by = BTreeMap::new();
        for name in names {
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            let own = Command::by_name(&name).map_or(name.as_str(), |command| command.name);
            let begins = |of: &str| of.strip_prefix(own).is_some_and(|rest| rest.starts_with(' '));
            let meant = Command::all().iter().map(|command| command.name);
            let meant: Vec<_> = meant.filter(|of| *of == own || begins(of)).collect();
            if meant.is_empty() {
                return Err(name);
            }
            by.extend(meant.into_iter().map(|command| (command, name.clone())));
        }
        Ok(Self { setting_names: by })
    }

    /// Refuses `command` when it is one of them.
    ///
    /// # Errors
    /// `COMMAND_DENIED`.
    pub(super) fn check(&self, command: &Command) -> Result<()> {
        let Some(name) = self.setting_names.get(command.name) else { return Ok(()) };
        let message = format!("`{}` is switched off", command.name);
        Err(Error::new(Reason::CommandDenied, message).with("denied", name))
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, DeniedCommands};

    fn refuses(denied: &DeniedCommands, name: &str) -> bool {
        denied.check(Command::by_name(name).expect("a command")).is_err()
    }

    #[test]
    fn a_name_stands_for_what_goes_on_from_it() {
        let denied =
            DeniedCommands::from_names(["fetch", " skill  run"]).expect("they are commands");
        assert!(refuses(&denied, "fetch") && refuses(&denied, "skill run"));
        for name in Command::all().iter().map(|command| command.name) {
            let is_meant = name == "fetch" || name.starts_with("fetch ") || name == "skill run";
            assert_eq!(refuses(&denied, name), is_meant, "{name}");
        }
        let skills = DeniedCommands::from_names(["skill"]).expect("there are commands on skills");
        assert!(refuses(&skills, "skill list") && !refuses(&skills, "domain-skill list"));
        assert!(!refuses(&DeniedCommands::default(), "fetch"));
    }

    #[test]
    fn an_alias_stands_for_its_command() {
        for command in Command::all() {
            for alias in command.aliases {
                assert!(
                    refuses(
                        &DeniedCommands::from_names([*alias]).expect("it is one"),
                        command.name
                    ),
                    "{alias}"
                );
            }
        }
    }

    #[test]
    fn a_name_that_no_command_has_is_named() {
        assert_eq!(DeniedCommands::from_names(["js", "fetsch"]), Err("fetsch".to_owned()));
        assert_eq!(DeniedCommands::from_names([""]), Err(String::new()));
    }
}
