//! Who calls: the owner, a paired agent, a skill.

use std::fs;

use serde_json::{Map, Value, json};

use crate::{project::Project, server::Server};

/// A step of a flow: a command with its arguments by name, the positional ones in
/// order.
#[derive(Clone)]
pub struct Step {
    pub command: &'static str,
    arguments: Vec<(&'static str, String)>,
}

/// What came of a step.
#[derive(Debug)]
pub struct Came {
    /// Whether it was done.
    pub done: bool,
    /// Everything that was printed.
    pub printed: String,
}

/// Who runs steps.
pub enum Caller {
    Owner(Project),
    /// The owner, whose daemon it is, and the agent.
    Paired {
        _owner: Project,
        agent: Project,
    },
}

/// A step.
pub fn step(command: &'static str, arguments: &[(&'static str, &str)]) -> Step {
    let own = |(name, value): &(&'static str, &str)| (*name, (*value).to_owned());
    Step { command, arguments: arguments.iter().map(own).collect() }
}

impl Step {
    fn line(&self) -> Vec<String> {
        let words = self.command.split(' ').map(str::to_owned);
        let arguments = self.arguments.iter().flat_map(|(name, value)| {
            // What `wait` waits for is named by flags.
            let flag = (self.command == "wait").then(|| format!("--{name}"));
            flag.into_iter().chain([value.clone()])
        });
        words.chain(arguments).collect()
    }

    /// As the SDK of a skill.
    pub fn call(&self) -> Value {
        let own = |(name, value): &(&'static str, String)| ((*name).to_owned(), json!(value));
        // Where a file goes is the command line's business.
        let all = self.arguments.iter().filter(|(name, _)| *name != "path");
        let arguments: Map<String, Value> = all.map(own).collect();
        json!([self.command, arguments])
    }
}

impl Caller {
    pub fn owner(mode: &str) -> Self {
        Self::Owner(project(mode))
    }

    /// An agent of its own project that is paired with an owner.
    pub fn paired(mode: &str, server: &Server) -> Self {
        let owner = project(mode);
        let agent = Project::new();
        let port = server.port();
        let hosts =
            format!("127.0.0.1:{port},localhost:{port},127.0.0.2:{port},*.localhost:{port}");
        let new = [
            "pair",
            "new",
            "agent",
            "--scope",
            "read,write",
            "--ttl",
            "1h",
            "--rate",
            "1000",
            "--host",
            &hosts,
        ];
        let block = owner.json(&new);
        agent.ok(&["redeem", block["link"].as_str().expect("a link")]);
        Self::Paired { _owner: owner, agent }
    }

    pub fn run(&self, step: &Step) -> Came {
        let line = step.line();
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let output = match self {
            Self::Owner(project) => project.run(&line),
            Self::Paired { agent, .. } => agent.run(&[&["--remote", "agent"][..], &line].concat()),
        };
        let printed = format!("{}{}", output.stdout, output.stderr);
        Came { done: output.code == Some(0), printed }
    }
}

fn project(mode: &str) -> Project {
    Project::new()
        .with("BROWSE_SECURITY_EGRESS", mode)
        .with("BROWSE_LIBRARY", "off")
        .with("BROWSE_FETCH_ALLOW", "localhost,127.0.0.1")
}

/// Runs all flows in one skill that names `hosts`; each up to the first step that fails.
pub fn run_in_skill(hosts: &[String], flows: &[Vec<Step>]) -> Project {
    let project = project("");
    let folder = project.path().join(".browse/skills/flows");
    fs::create_dir_all(folder.join("_lib")).expect("a folder");
    let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk-python/vendor/browse_sdk.py");
    fs::copy(sdk, folder.join("_lib/browse_sdk.py")).expect("the SDK");
    let hosts: Vec<String> = hosts.iter().map(|host| format!("\"{host}\"")).collect();
    let manifest = format!(
        "---\nname: flows\ndescription: Runs flows.\nhost: [{}]\nversion: 0.1.0\nsource: agent\n\
        trusted: false\nsession: own\ntimeout: 300s\n---\n",
        hosts.join(", ")
    );
    fs::write(folder.join("SKILL.md"), manifest).expect("a manifest");
    let calls: Vec<Vec<Value>> =
        flows.iter().map(|flow| flow.iter().map(Step::call).collect()).collect();
    fs::write(folder.join("flows.json"), json!(calls).to_string()).expect("the flows");
    fs::write(folder.join("script.py"), include_str!("flows.py")).expect("a script");
    let output = project.run(&["--timeout", "5m", "skill", "run", "flows"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    project
}
