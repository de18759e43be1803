//! Keeps the program running: starts it, hands it one text after the other, and
//! starts it again when it dies, a few times.

use std::{sync::Arc, time::Duration};

use browse_guard::onnx_classifier::StartupMessage;
use tokio::{
    sync::mpsc::Receiver,
    time::{Instant, sleep, timeout},
};

use super::{
    onnx_process::OnnxProcess,
    onnx_shared::{OnnxShared, OnnxState, SCORE_TIMEOUT, ScoreJob},
};

/// Time to load a model: a large one comes off a slow disk.
const LOAD_TIMEOUT: Duration = Duration::from_secs(120);

/// Time beyond its own that the program gets for an answer.
const RESPONSE_GRACE: Duration = Duration::from_secs(12);

/// Deaths within [`SPAN`] after which it stays dead.
const MAX_CRASHES: usize = 4;
const CRASH_WINDOW: Duration = Duration::from_secs(600);

/// Rest before it is started again, longer by each death.
const RESTART_DELAY: Duration = Duration::from_millis(500);

/// Runs until nobody has a text any more.
pub(super) async fn run_worker(shared: Arc<OnnxShared>, mut jobs: Receiver<ScoreJob>) {
    let mut deaths: Vec<Instant> = Vec::new();
    let why = loop {
        let died = match run_process(&shared, &mut jobs).await {
            OnnxExit::Closed => return,
            OnnxExit::Unusable(why) => break why,
            OnnxExit::Crashed(why) => why,
        };
        tracing::warn!(why = died, "the program of the second classifier ended");
        deaths.retain(|death| death.elapsed() < CRASH_WINDOW);
        deaths.push(Instant::now());
        if deaths.len() >= MAX_CRASHES {
            break format!("its program ended {MAX_CRASHES} times: {died}");
        }
        {
            let mut seen = shared.lock_process_state();
            seen.state = OnnxState::Loading;
            seen.restarts += 1;
        }
        sleep(RESTART_DELAY * deaths.len() as u32).await;
    };
    tracing::error!(why, "the second classifier does not work");
    shared.lock_process_state().state = OnnxState::Failed(why);
    // Dropping a job answers it.
    while jobs.recv().await.is_some() {}
}

/// How a program came to its end.
enum OnnxExit {
    /// Nobody wants it any more.
    Closed,
    /// The model cannot be used: to start it again changes nothing.
    Unusable(String),
    /// It died, or had to be ended.
    Crashed(String),
}

async fn run_process(shared: &OnnxShared, jobs: &mut Receiver<ScoreJob>) -> OnnxExit {
    let mut program = match OnnxProcess::start(&shared.config) {
        Ok(program) => program,
        Err(error) => {
            let program = shared.config.program.display();
            return OnnxExit::Unusable(format!("`{program}` cannot be started: {error}"));
        }
    };
    let pid = program.pid();
    if let (Some(guardian), Some(pid)) = (&shared.guardian, pid) {
        guardian.kill_at_exit(pid);
    }
    shared.lock_process_state().pid = pid;
    let end = serve_requests(shared, jobs, &mut program).await;
    let last = program.shut_down().await;
    shared.lock_process_state().pid = None;
    if let (Some(guardian), Some(pid)) = (&shared.guardian, pid) {
        guardian.forget_kill(pid);
    }
    match end {
        OnnxExit::Crashed(why) => OnnxExit::Crashed(format!("{why}: {last}")),
        end => end,
    }
}

async fn serve_requests(
    shared: &OnnxShared,
    jobs: &mut Receiver<ScoreJob>,
    program: &mut OnnxProcess,
) -> OnnxExit {
    match timeout(LOAD_TIMEOUT, program.read_startup()).await {
        Ok(Ok(StartupMessage::Ready(ready))) => {
            shared.lock_process_state().state = OnnxState::Ready(ready)
        }
        Ok(Ok(StartupMessage::Failed { file, why })) => {
            return OnnxExit::Unusable(format!("`{file}`: {why}"));
        }
        Ok(Err(_)) => return OnnxExit::Crashed("it ended while it loaded".to_owned()),
        Err(_) => {
            return OnnxExit::Crashed(format!("it did not load in {} s", LOAD_TIMEOUT.as_secs()));
        }
    }
    loop {
        let job = tokio::select! {
            job = jobs.recv() => job,
            _ = program.wait() => return OnnxExit::Crashed("it ended".to_owned()),
        };
        let Some(ScoreJob { request: ask, reply }) = job else { return OnnxExit::Closed };
        match timeout(SCORE_TIMEOUT + RESPONSE_GRACE, program.score(&ask)).await {
            Ok(Ok(output)) => {
                if let Some(problem) = &output.problem {
                    tracing::warn!(problem, "the second classifier has no score for a text");
                }
                let _ = reply.send(Some(output));
            }
            // The text may be what it died of: it is not tried again.
            Ok(Err(_)) => return OnnxExit::Crashed("it ended at a text".to_owned()),
            Err(_) => return OnnxExit::Crashed("it gave no answer".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::{OnnxClassifier, OnnxConfig};

    /// A program that does what `script` says; `$1` is `folder`. It is a shell
    /// that reads the script: a file that was just written may be busy.
    fn second(folder: &Path, script: &str) -> OnnxClassifier {
        let program = folder.join("script");
        fs::write(&program, script).expect("a file");
        let (name, runtime) = ("stub".to_owned(), folder.to_owned());
        OnnxClassifier::start(
            OnnxConfig { name, folder: program, runtime, program: "/bin/sh".into() },
            None,
        )
    }

    async fn failure(second: &OnnxClassifier) -> String {
        let wait = async {
            loop {
                if let OnnxState::Failed(why) = second.status().expect("it is wanted").state {
                    return why;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(60), wait).await.expect("it fails")
    }

    #[tokio::test]
    async fn one_that_cannot_load_is_not_started_again() {
        let folder = tempfile::tempdir().expect("a folder");
        // The frame of 44 bytes that a program sends which cannot load.
        let script = r#"printf '\054\000\000\000{"failed":{"file":"model.onnx","why":"bad"}}'"#;
        let second = second(folder.path(), script);
        assert_eq!(failure(&second).await, "`model.onnx`: bad");
        assert!(second.has_failed() && second.score("a text", None).await.is_none());
        let status = second.status().expect("it is wanted");
        assert_eq!((status.restarts, status.unanswered, status.pid), (0, 1, None));
    }

    #[tokio::test]
    async fn one_that_dies_is_started_again_a_few_times() {
        let folder = tempfile::tempdir().expect("a folder");
        let second =
            second(folder.path(), "echo began >> \"$1/log\"; echo out of luck >&2; exit 3");
        let why = failure(&second).await;
        assert!(why.contains("4 times") && why.ends_with("out of luck"), "{why}");
        let began = fs::read_to_string(folder.path().join("log")).expect("a log");
        assert_eq!(began.lines().count(), MAX_CRASHES);
        assert_eq!(second.status().expect("it is wanted").restarts, MAX_CRASHES as u64 - 1);
    }

    #[tokio::test]
    async fn a_text_that_it_dies_of_has_no_score_and_the_next_one_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let ready = r#"{"ready":{"kind":"a","sha256":"b","bytes":1,"window":2,"load_ms":3,"runtime":"","held":""}}"#;
        let output = r#"{"score":0.5,"windows":1,"unread":2,"problem":null}"#;
        // Dies of its first text; the second time it answers.
        let script = format!(
            "printf '\\{:03o}\\000\\000\\000%s' '{ready}'\nhead -c 4 > /dev/null\n\
             if [ ! -e \"$1/died\" ]; then touch \"$1/died\"; kill -SEGV $$; fi\n\
             printf '\\{:03o}\\000\\000\\000%s' '{output}'\ncat > /dev/null",
            ready.len(),
            output.len()
        );
        let second = second(folder.path(), &script);
        assert!(second.score("the first", None).await.is_none());
        let answer = second.score("the second", None).await.expect("it has a score");
        assert_eq!((answer.score, answer.unread), (Some(0.5), 2));
        let status = second.status().expect("it is wanted");
        assert_eq!(
            (status.scored, status.unanswered, status.partially_scored, status.restarts),
            (1, 1, 1, 1)
        );
    }
}
