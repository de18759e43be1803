//! Where settings come from, and which source wins.

use std::path::PathBuf;

use browse_base::Result;

use super::{file, keys::ConfigScope, raw_setting::RawSetting};

/// The folders that tell where the files with settings are.
#[derive(Clone, Debug)]
pub struct Folders {
    /// Folder of the project.
    pub project: PathBuf,
    /// Home of browse.
    pub home: PathBuf,
}

impl Folders {
    /// The `config.toml` of the project.
    pub fn project_file(&self) -> PathBuf {
        self.project.join(".browse/config.toml")
    }

    /// The `config.toml` of the user.
    pub fn user_file(&self) -> PathBuf {
        self.home.join("config.toml")
    }
}

/// What both files set.
#[derive(Clone, Debug, Default)]
pub struct ConfigFiles {
    /// That of the project.
    pub project: Vec<RawSetting>,
    /// That of the user.
    pub user: Vec<RawSetting>,
}

impl ConfigFiles {
    /// Reads both.
    ///
    /// # Errors
    /// `SETTING_INVALID` with file and line.
    pub fn read(folders: &Folders) -> Result<Self> {
        Ok(Self {
            project: file::read(&folders.project_file(), ConfigScope::Any)?,
            user: file::read(&folders.user_file(), ConfigScope::User)?,
        })
    }
}

/// Where the value of a setting comes from, first match first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// A flag of the command line.
    Flag,
    /// A variable of the environment.
    Environment,
    /// `config.toml` of the project.
    Project,
    /// `config.toml` of the user.
    User,
    /// No source has it.
    Default,
}

impl SettingSource {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Project => "project",
            Self::User => "user",
            Self::Default => "default",
        }
    }
}
