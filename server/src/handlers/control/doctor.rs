//! Checks what browse needs, by the code path of a real start.

mod system;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use browse_proto::{Reason, v1};

use crate::{
    daemon::browser_options,
    dispatch::CallContext,
    skills::runtime::{self, Runtime},
    tunnel::ngrok_program,
};
use browse_base::{Error, Result};
use browse_chromium::{Browser, BrowserOptions, NoSink, Sandbox};

/// Free bytes below which a warning is given.
const MIN_FREE_BYTES: u64 = 512 << 20;

/// Checks browser, sandbox, memory, disk and runtimes.
pub async fn doctor(cx: &CallContext, _: v1::DoctorRequest) -> Result<v1::DoctorResponse> {
    let mut checks = vec![system::check_versions().await];
    checks.extend(check_browser(cx).await);
    checks.push(system::check_fonts());
    checks.push(check_state_folder(&cx.settings().state_file));
    checks.push(check_disk("project", &cx.settings().project));
    checks.push(check_disk("home", &nearest_existing(&cx.settings().home)));
    checks.push(check_sandbox(cx).await);
    for runtime in runtime::ALL.into_iter().filter(|runtime| runtime.sdk().is_some()) {
        checks.push(check_runtime(cx, runtime).await);
    }
    checks.push(check_headed_browser(cx));
    checks.push(check_ngrok());
    Ok(v1::DoctorResponse { checks })
}

/// Starts a second browser as the daemon starts its own, and ends it.
async fn check_browser(cx: &CallContext) -> Vec<v1::Check> {
    let begun = Instant::now();
    let options = browser_options(cx.daemon(), cx.daemon().guardian().cloned());
    let options = BrowserOptions { sink: std::sync::Arc::new(NoSink), ..options };
    let browser = match Browser::launch(options).await {
        Ok(browser) => browser,
        Err(fault) => {
            let error = Error::from(fault);
            let fix = match error.reason() {
                Reason::BrowserMissing => error.hint(),
                // Its hint is to run this.
                _ => "set BROWSE_CHROMIUM to the program of a Chromium, or unset it".to_owned(),
            };
            return vec![check("browser", "problem", &error.to_string(), &fix)];
        }
    };
    let info = browser.info().clone();
    browser.close().await;
    let took = begun.elapsed().as_millis();
    let found = format!("{} at {}, started in {took} ms", info.product, info.executable.display());
    let mut checks = vec![check("browser", "ok", &found, "")];
    checks.push(system::check_browser_age(&info.executable, &info.product));
    checks.push(match &info.sandbox {
        Sandbox::On => check("browser sandbox", "ok", "on", ""),
        Sandbox::Off { reason } => {
            let fix = match nix::unistd::geteuid().is_root() {
                true => "run browse as an ordinary user".to_owned(),
                false => system::allow_user_namespaces(),
            };
            check("browser sandbox", "warning", reason, &fix)
        }
    });
    let note = info.shared_memory_note.as_deref();
    checks.push(match note {
        None => check("shared memory", "ok", "/dev/shm is large enough", ""),
        Some(note) => check("shared memory", "warning", note, "give the container --shm-size=1g"),
    });
    checks
}

/// What untrusted skills are held to here.
async fn check_sandbox(cx: &CallContext) -> v1::Check {
    let found = cx.daemon().skills().sandbox().probe().await;
    let (verdict, fix) = match (found.backend, found.gaps.is_empty()) {
        (Some(_), true) => ("ok", String::new()),
        (Some(_), false) => ("warning", system::allow_user_namespaces()),
        (None, _) => (
            "warning",
            format!(
                "{}, or use a kernel with Landlock (6.7): untrusted skills need one of them",
                system::allow_user_namespaces()
            ),
        ),
    };
    let mut finding = found.describe();
    if found.backend.is_some() && !found.failures.is_empty() {
        finding = format!("{finding} ({})", found.failures.join("; "));
    }
    check("sandbox of skills", verdict, &finding, &fix)
}

fn check(name: &str, verdict: &str, finding: &str, fix: &str) -> v1::Check {
    v1::Check {
        name: name.to_owned(),
        verdict: verdict.to_owned(),
        finding: finding.to_owned(),
        fix: fix.to_owned(),
    }
}

/// Writes where the daemon writes.
fn check_state_folder(state_file: &Path) -> v1::Check {
    let folder = state_file.parent().unwrap_or(Path::new("/"));
    match tempfile::tempfile_in(folder) {
        Ok(_) => check("files", "ok", &format!("{} can be written", folder.display()), ""),
        Err(error) => {
            let found = format!("{} cannot be written: {error}", folder.display());
            check(
                "files",
                "problem",
                &found,
                "set BROWSE_STATE_FILE to a file in a folder of yours",
            )
        }
    }
}

fn check_disk(name: &str, path: &Path) -> v1::Check {
    let title = format!("disk of the {name}");
    match nix::sys::statvfs::statvfs(path) {
        Ok(disk) => {
            let free = disk.blocks_available() * disk.fragment_size();
            let found = format!("{} MiB free at {}", free >> 20, path.display());
            let few = free < MIN_FREE_BYTES;
            let fix = if few { "make room: profiles and logs need it" } else { "" };
            check(&title, if few { "warning" } else { "ok" }, &found, fix)
        }
        Err(error) => {
            let found = format!("{}: {error}", path.display());
            check(&title, "problem", &found, "make the folder readable")
        }
    }
}

/// The first folder above `path` that exists.
fn nearest_existing(path: &Path) -> PathBuf {
    path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/")).to_path_buf()
}

/// Whether `connect` and `handoff` can show a window.
fn check_headed_browser(cx: &CallContext) -> v1::Check {
    let name = "visible browser";
    let program = match browse_chromium::find_headed(cx.settings().chromium.as_deref()) {
        Ok(program) => program,
        Err(fault) => {
            let error = Error::from(fault);
            return check(
                name,
                "warning",
                &error.to_string(),
                &system::install("chromium", "a full Chromium or Chrome"),
            );
        }
    };
    match crate::window::find_screen(&std::collections::HashMap::new()) {
        Ok(_) => check(name, "ok", &program.display().to_string(), ""),
        Err(error) => {
            let found = format!("{}, but {error}", program.display());
            check(name, "warning", &found, "start the daemon where a screen is, or use Xvfb")
        }
    }
}

/// Whether `tunnel start --provider ngrok` has its program.
fn check_ngrok() -> v1::Check {
    let name = "tunnels of ngrok";
    match ngrok_program() {
        Ok(path) => check(name, "ok", &path.display().to_string(), ""),
        Err(error) => check(name, "warning", &error.to_string(), &error.hint()),
    }
}

/// Whether skills of this kind run, and on what.
async fn check_runtime(cx: &CallContext, runtime: &dyn Runtime) -> v1::Check {
    match runtime.find(cx.daemon().skills().programs()).await {
        Ok(label) => check(runtime.purpose(), "ok", &label, ""),
        Err(error) => check(runtime.purpose(), "warning", &error.to_string(), &error.hint()),
    }
}
