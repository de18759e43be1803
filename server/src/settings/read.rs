//! Gathers the settings from their places.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Settings,
    keys::{KEYS, SettingKey},
    raw_setting::{RawSetting, invalid_setting},
    sources::{ConfigFiles, Folders, SettingSource},
};
use crate::{notes::LibrarySettings, project, skills::SandboxMode};
use browse_base::Result;
use browse_chromium::{DialogPolicy, MAX_WINDOWS, UserAgentMode};
use browse_content::{ContentLayers, LlmSettings};
use browse_models::{ModelSettings, OnnxConfig};
use browse_net::HostRules;
use browse_policy::DeniedCommands;

const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);
const DEFAULT_MAX_HTML_BYTES: usize = 50 << 20;

/// As much as a single process may have.
const DEFAULT_SKILL_MEMORY_BYTES: u64 = 4 << 30;

/// Reads settings from flags and an environment.
pub struct SettingsReader<'a> {
    flags: Vec<RawSetting>,
    variables: Vec<RawSetting>,
    /// Variables that settings name.
    lookup_variable: Box<VariableLookup<'a>>,
}

type VariableLookup<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

impl<'a> SettingsReader<'a> {
    /// Reads the flags of a command line: `--port 0` or `--port=0`.
    ///
    /// # Errors
    /// `SETTING_INVALID` for an unknown flag, or one without a value.
    pub fn new(args: &[String], variable: impl Fn(&str) -> Option<OsString> + 'a) -> Result<Self> {
        let mut flags = Vec::new();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            let key = find_flag(name)
                .ok_or_else(|| invalid_setting(name, "the command line", "no such flag"))?;
            let value = value.or_else(|| args.next().cloned());
            let value =
                value.ok_or_else(|| invalid_setting(name, "the command line", "no value"))?;
            flags.push(RawSetting { name: key.name, items: vec![value], source: name.to_owned() });
        }
        let set = |key: &'static SettingKey| {
            let value = variable(key.variable)?.to_string_lossy().into_owned();
            let place = key.variable.to_owned();
            (!value.is_empty()).then(|| RawSetting {
                name: key.name,
                items: vec![value],
                source: place,
            })
        };
        let variables = KEYS.iter().filter_map(set).collect();
        Ok(Self { flags, variables, lookup_variable: Box::new(variable) })
    }

    /// Reads the flags and the environment of this process.
    ///
    /// # Errors
    /// As [`SettingsReader::new`].
    pub fn from_process() -> Result<Self> {
        let args: Vec<_> = env::args().skip(1).collect();
        Self::new(&args, |name| env::var_os(name))
    }

    /// The settings, with both configuration files read.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn read(&self) -> Result<Settings> {
        let folders = self.folders()?;
        let files = ConfigFiles::read(&folders)?;
        self.resolve(folders, &files)
    }

    /// The project and the home of browse, which tell where the files are.
    ///
    /// # Errors
    /// `SETTING_INVALID`, `STATE_FILE_INVALID` for a project whose `.browse` is a link.
    pub fn folders(&self) -> Result<Folders> {
        let none = ConfigFiles::default();
        let home = match self.find("home", &none) {
            Some((_, raw)) => raw.path()?,
            None => default_home()?,
        };
        let project = match self.find("project", &none) {
            Some((_, raw)) => raw.path()?,
            None => project::find(&current_dir()?, Some(&home)),
        };
        project::refuse_link(&project, &home)?;
        Ok(Folders { project, home })
    }

    /// The settings with these files.
    ///
    /// # Errors
    /// `SETTING_INVALID`.
    pub fn resolve(&self, folders: Folders, files: &ConfigFiles) -> Result<Settings> {
        let Folders { project, home } = folders;
        let folder = project.join(".browse");
        let get = |name: &str| self.find(name, files).map(|(_, raw)| raw.clone());
        let switch = |name: &str| get(name).map_or(Ok(false), |raw| raw.boolean());
        let on = |name: &str| get(name).map_or(Ok(true), |raw| raw.boolean());
        Ok(Settings {
            state_file: get("state_file")
                .map_or_else(|| Ok(folder.join("daemon.json")), |raw| raw.path())?,
            port: get("port").map_or(Ok(0), |raw| raw.port())?,
            idle_timeout: get("idle_timeout")
                .map_or(Ok(DEFAULT_IDLE_TIMEOUT), |raw| raw.duration())?,
            chromium: get("chromium").map(|raw| raw.path()).transpose()?,
            cdp_url: get("cdp_url").map(|raw| raw.cdp_address()).transpose()?,
            chromium_args: get("chromium_args").map_or(Ok(Vec::new()), |raw| raw.words())?,
            no_browser: get("no_browser").map_or(Ok(false), |raw| raw.boolean())?,
            defer_browser: switch("defer_browser")?,
            bundled_skills: get("bundled_skills").map(|raw| raw.path()).transpose()?,
            skill_sandbox: get("skill_sandbox")
                .map_or(Ok(SandboxMode::Auto), |raw| raw.sandbox())?,
            skill_memory: get("skill_memory").map_or(Ok(DEFAULT_SKILL_MEMORY_BYTES), |raw| {
                raw.bytes().map(|bytes| bytes as u64)
            })?,
            max_html_bytes: get("max_html_bytes")
                .map_or(Ok(DEFAULT_MAX_HTML_BYTES), |raw| raw.bytes())?,
            max_windows: get("max_windows").map_or(Ok(MAX_WINDOWS), |raw| raw.number())?,
            deny: get("deny").map_or(Ok(DeniedCommands::default()), |raw| raw.commands())?,
            fetch_allow: get("fetch_allow").map_or(Ok(HostRules::default()), |raw| raw.hosts())?,
            keychain: get("keychain").map_or(Ok(true), |raw| raw.boolean())?,
            dialogs: get("dialogs").map_or(Ok(DialogPolicy::Ask), |raw| raw.dialogs())?,
            user_agent: get("user_agent")
                .map_or(Ok(UserAgentMode::default()), |raw| raw.user_agent())?,
            webmcp: switch("webmcp")?,
            dashboard_terminal: switch("dashboard_terminal")?,
            library: read_library(&get)?,
            tunnel_cert: get("tunnel_cert").map(|raw| raw.path()).transpose()?,
            tunnel_key: get("tunnel_key").map(|raw| raw.path()).transpose()?,
            tunnel: get("tunnel").map(|raw| raw.tunnel()).transpose()?,
            tunnel_cmd: get("tunnel_cmd").map(|raw| raw.command()).transpose()?,
            tunnel_local_only: switch("tunnel_local_only")?,
            skillify_prompts: get("skillify_prompts").map_or(Ok(false), |raw| raw.boolean())?,
            telemetry: switch("telemetry")? && !switch("telemetry_off")?,
            egress: get("security_egress").map(|raw| raw.egress()).transpose()?,
            layers: ContentLayers {
                datamark: on("security_datamark")?,
                hidden: on("security_hidden")?,
                patterns: on("security_patterns")?,
            },
            security_off: get("security_off").map_or(Ok(false), |raw| raw.boolean())?,
            model: read_model(&get, &home)?,
            transcript: read_transcript(&get, &self.lookup_variable)?,
            project,
            home,
        })
    }

    /// A reader that takes what files set, whatever flags and variables say.
    pub fn without_overrides(&self) -> SettingsReader<'_> {
        SettingsReader {
            flags: Vec::new(),
            variables: Vec::new(),
            lookup_variable: Box::new(|name| (self.lookup_variable)(name)),
        }
    }

    /// The first of flag, variable and files that holds `name`.
    pub fn find<'b>(
        &'b self,
        name: &str,
        files: &'b ConfigFiles,
    ) -> Option<(SettingSource, &'b RawSetting)> {
        let of = |source: SettingSource, raw: &'b [RawSetting]| {
            raw.iter().find(|raw| raw.name == name).map(|raw| (source, raw))
        };
        let flag = self.flags.iter().rev().find(|raw| raw.name == name);
        flag.map(|raw| (SettingSource::Flag, raw))
            .or_else(|| of(SettingSource::Environment, &self.variables))
            .or_else(|| of(SettingSource::Project, &files.project))
            .or_else(|| of(SettingSource::User, &files.user))
    }
}

fn read_library(get: &impl Fn(&str) -> Option<RawSetting>) -> Result<LibrarySettings> {
    let usual = LibrarySettings::default();
    Ok(LibrarySettings {
        collection: get("library").map_or(Ok(usual.collection), |raw| raw.collection())?,
        branch: get("library_branch")
            .map_or(Ok(usual.branch), |raw| raw.slash_separated_names())?,
        prefix: get("library_prefix")
            .map_or(Ok(usual.prefix), |raw| raw.slash_separated_names())?,
        url: get("library_url").map(|raw| raw.url()).transpose()?,
    })
}

fn read_model(get: &impl Fn(&str) -> Option<RawSetting>, home: &Path) -> Result<ModelSettings> {
    let url = get("security_model_url").map(|raw| raw.url()).transpose()?;
    let path = |name: &str| get(name).map(|raw| raw.path()).transpose();
    let (runtime, program) = (path("security_model_runtime")?, path("security_model_program")?);
    let Some(named) = get("security_model_dir").filter(|raw| !raw.is_off()) else {
        return Ok(ModelSettings { onnx: None, package_index: url });
    };
    let plan = OnnxConfig::from_folder(named.path()?, &named.source, runtime, program, home)?;
    Ok(ModelSettings { onnx: Some(plan), package_index: url })
}

fn read_transcript(
    get: &impl Fn(&str) -> Option<RawSetting>,
    variable: &VariableLookup<'_>,
) -> Result<Option<LlmSettings>> {
    let Some(check) = get("security_transcript_check") else { return Ok(None) };
    let Some(shape) = check.transcript_shape()? else { return Ok(None) };
    let needed = |name: &str| {
        let why = format!("it wants `{name}` as well");
        get(name).ok_or_else(|| invalid_setting(check.name, &check.source, &why))
    };
    let url = needed("security_transcript_url")?.transcript_url(shape)?;
    let model = needed("security_transcript_model")?.model_name()?;
    let key = match get("security_transcript_key") {
        Some(raw) => Some(raw.secret(variable)?),
        None => None,
    };
    let max_wait = LlmSettings::DEFAULT_TIMEOUT;
    Ok(Some(LlmSettings { api: shape, url, model, api_key: key, timeout: max_wait }))
}

fn find_flag(text: &str) -> Option<&'static SettingKey> {
    let name = text.strip_prefix("--")?.replace('-', "_");
    KEYS.iter().find(|key| key.name == name)
}

fn current_dir() -> Result<PathBuf> {
    env::current_dir()
        .map_err(|error| invalid_setting("project", "the working directory", &error.to_string()))
}

fn default_home() -> Result<PathBuf> {
    let home = env::var_os("HOME").filter(|home| Path::new(home).is_absolute());
    let home = home.ok_or_else(|| invalid_setting("home", "HOME", "the variable is not set"))?;
    Ok(Path::new(&home).join(".browse"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(config: &str, args: &[&str], variables: &[(&str, &str)]) -> Result<Settings, String> {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join(".browse")).expect("a folder");
        fs::write(dir.path().join(".browse/config.toml"), config).expect("a file");
        let place = dir.path().display().to_string();
        let mut all = vec!["--project".to_owned(), place.clone(), format!("--home={place}/home")];
        all.extend(args.iter().map(|arg| (*arg).to_owned()));
        let variable = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        };
        let settings = SettingsReader::new(&all, variable).and_then(|reader| reader.read());
        settings.map_err(|error| error.to_string().replace(&place, "DIR"))
    }

    #[test]
    fn flags_win_over_variables_and_variables_over_files() {
        let settings =
            read("port = 1\nidle_timeout = \"1h\"", &["--port=3"], &[("BROWSE_PORT", "2")]);
        let settings = settings.expect("they are good");
        assert_eq!((settings.port, settings.idle_timeout.as_secs()), (3, 3600));
        let settings = read("port = 1", &[], &[("BROWSE_PORT", "2")]).expect("they are good");
        assert_eq!(settings.port, 2);
    }

    #[test]
    fn a_transcript_check_needs_an_address_and_a_model() {
        let config = "[security]\ntranscript_check = \"anthropic\"\n\
                      transcript_url = \"https://api.example.com\"\n\
                      transcript_model = \"m\"\ntranscript_key = \"THE_KEY\"";
        // A project may not send what is read here or there.
        let refused = read(config, &[], &[]).expect_err("a project's file");
        assert!(refused.contains("a project may not set it"), "{refused}");
        let flags = |more: &[&'static str]| {
            let all = ["--security-transcript-check=openai", "--security-transcript-model=m"];
            [&all[..], more].concat()
        };
        let address = "--security-transcript-url=http://127.0.0.1:8080";
        let found = read("", &flags(&[address]), &[]).expect("they are good").transcript;
        let found = found.expect("it is on");
        assert_eq!(found.url.as_str(), "http://127.0.0.1:8080/v1/chat/completions");
        assert!(found.api_key.is_none());
        let key = "--security-transcript-key=THE_KEY";
        let variables = [("THE_KEY", "hunter2")];
        let found = read("", &flags(&[address, key]), &variables).expect("they are good");
        let key_of = found.transcript.expect("it is on").api_key.expect("a key");
        assert_eq!(key_of.expose(), "hunter2");
        for (more, variables, why) in [
            (&[][..], &[][..], "it wants `security_transcript_url` as well"),
            (&["--security-transcript-url=http://example.com"], &[], "https address"),
            (&[address, key], &[], "the variable `THE_KEY` is not set"),
            (&[address, "--security-transcript-key=sk-secret"], &[], "not the name of a variable"),
            (&[address, "--security-transcript-check=yes"], &[], "`off`, `openai` or `anthropic`"),
        ] {
            let refused = read("", &flags(more), variables).expect_err(why);
            assert!(refused.contains(why) && !refused.contains("sk-secret"), "{refused}");
        }
        let off = read("", &[address, "--security-transcript-check=off"], &[]);
        assert!(off.expect("they are good").transcript.is_none());
    }

    #[test]
    fn a_model_that_cannot_be_used_is_no_silent_off() {
        let refused = read("", &["--security-model-dir=/nowhere"], &[]).expect_err("it is bad");
        assert!(refused.contains("`/nowhere`"), "{refused}");
        let off = read("", &["--security-model-dir=off"], &[]).expect("it is good");
        assert!(off.model.onnx.is_none());
    }

    #[test]
    fn commands_are_denied_by_their_names() {
        let of = |names: &[&str]| {
            DeniedCommands::from_names(names.iter().copied()).expect("they are commands")
        };
        let deny = |config: &str| {
            let dir = tempfile::tempdir().expect("a folder");
            fs::write(dir.path().join("config.toml"), config).expect("a file");
            let home = format!("--home={}", dir.path().display());
            read("", &[&home], &[]).map(|settings| settings.deny)
        };
        assert_eq!(deny(""), Ok(DeniedCommands::default()));
        assert_eq!(deny("deny = [\"fetch\", \"js\"]"), Ok(of(&["fetch", "js"])));
        assert_eq!(deny("deny = [\"skill run\"]"), Ok(of(&["skill run"])));
        assert_eq!(deny("deny = \"skill run, js\""), Ok(of(&["skill run", "js"])));
        let set = read("", &[], &[("BROWSE_DENY", "fetch,skill run")]).expect("it is good");
        assert_eq!(set.deny, of(&["fetch", "skill run"]));
        let refused = deny("deny = [\"js\", \"fetsch\"]").expect_err("it is bad");
        assert!(refused.contains("config.toml:1") && refused.contains("`fetsch` is not a command"));
        let refused = read("deny = [\"js\"]", &[], &[]).expect_err("it is a project's");
        assert!(refused.contains("a project may not set it"), "{refused}");
    }

    #[test]
    fn page_tools_are_the_users_to_allow() {
        let refused = read("webmcp = true", &[], &[]).expect_err("a project's file");
        assert!(refused.contains("a project may not set it"), "{refused}");
        for (args, variables) in [
            (&["--webmcp", "true"][..], &[][..]),
            (&["--webmcp=true"], &[("BROWSE_WEBMCP", "false")]),
            (&[], &[("BROWSE_WEBMCP", "1")]),
        ] {
            assert!(read("", args, variables).expect("they are good").webmcp);
        }
        assert!(!read("", &[], &[]).expect("they are good").webmcp);
    }

    #[test]
    fn a_terminal_is_the_users_to_allow() {
        let refused = read("dashboard_terminal = true", &[], &[]).expect_err("a project's file");
        assert!(refused.contains("a project may not set it"), "{refused}");
        for (args, variables) in [
            (&["--dashboard-terminal=true"][..], &[][..]),
            (&[], &[("BROWSE_DASHBOARD_TERMINAL", "1")]),
        ] {
            assert!(read("", args, variables).expect("they are good").dashboard_terminal);
        }
        assert!(!read("", &[], &[]).expect("they are good").dashboard_terminal);
    }

    #[test]
    fn a_user_agent_is_one_of_two() {
        let of = |text: &str| read(&format!("user_agent = \"{text}\""), &[], &[]);
        assert_eq!(of("headless").expect("it is good").user_agent, UserAgentMode::Headless);
        assert_eq!(of("plain").expect("it is good").user_agent, UserAgentMode::Plain);
        assert_eq!(read("", &[], &[]).expect("good").user_agent, UserAgentMode::Plain);
        for other in ["", "Plain", "Mozilla/5.0 (X11; Linux x86_64)"] {
            let refused = of(other).map(|_| ()).expect_err(other);
            assert!(refused.contains("is not `plain` or `headless`"), "{refused}");
        }
    }

    #[test]
    fn times_without_a_unit_are_milliseconds() {
        let settings = read("", &[], &[("BROWSE_IDLE_TIMEOUT", "1500")]).expect("it is good");
        assert_eq!(settings.idle_timeout, Duration::from_millis(1500));
    }

    #[test]
    fn arguments_split_as_for_a_shell() {
        let args = "\"--host-resolver-rules=MAP a 127.0.0.1:1\" --mute";
        let settings = read("", &[], &[("BROWSE_CHROMIUM_ARGS", args)]).expect("it is good");
        assert_eq!(settings.chromium_args, ["--host-resolver-rules=MAP a 127.0.0.1:1", "--mute"]);
        let refused = read("chromium_args = [\"--a\"]", &[], &[]).expect_err("a project's file");
        assert!(refused.contains("a project may not set it"), "{refused}");
    }

    #[test]
    fn mistakes_name_file_and_line() {
        let fail = |config: &str| read(config, &[], &[]).expect_err("it is bad");
        insta::assert_snapshot!(
            [
                fail("\nprot = 1"),
                fail("port = 70000"),
                fail("port = {a = 1}"),
                fail("port ="),
                read("", &["--bogus"], &[]).expect_err("it is bad"),
                read("", &["--port"], &[]).expect_err("it is bad"),
                read("", &[], &[("BROWSE_IDLE_TIMEOUT", "soon")]).expect_err("it is bad"),
            ]
            .join("\n")
        );
    }
}
