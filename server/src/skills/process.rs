//! A process of a skill, behind its supervisor. Everything of a skill that
//! runs is started here: its program, its tests and its builds.

mod spare_supervisor;
mod supervised_child;

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::{
    environment::Environment,
    process_plan::{Confinement, Limits, ProcessPlan, Purpose, frame},
    supervisor,
};

pub use spare_supervisor::SpareSupervisors;
pub use supervised_child::{SupervisedChild, TerminalChild};

/// How long the supervisor may take to end everything.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// Standard error is handed on in pieces of at most this.
const STDERR_CHUNK_BYTES: usize = 8 * 1024;

/// Most bytes of standard error that are handed on; the rest is dropped.
const MAX_STDERR_BYTES: usize = 1024 * 1024;

/// What stands where standard error was cut.
const TRUNCATED_NOTICE: &[u8] = b"\nnote: standard error is cut here: it exceeded 1 MiB\n";

/// A running process. Dropping it ends everything that it started: the
/// supervisor sees the end of its standard input.
pub struct SkillProcess(SupervisedChild);

/// How a process ended by itself.
#[derive(Debug, PartialEq, Eq)]
pub struct ProcessExit {
    /// 0, or what went wrong; 128 and the number of the signal when one ended
    /// it.
    pub code: i32,
    /// Everything that it printed.
    pub stdout: Vec<u8>,
}

/// Why there is nothing to show for a process. All that it started is dead.
#[derive(Debug, PartialEq, Eq)]
pub enum ProcessError {
    /// It cannot be started or waited for.
    Io(String),
    /// Its deadline came first.
    TimedOut,
    /// It printed more than it may.
    TooMuchOutput,
}

impl SkillProcess {
    /// Starts the process that `plan` describes.
    ///
    /// # Errors
    /// `Broken`: there are no processes to be had.
    pub async fn start(plan: &ProcessPlan) -> Result<Self, ProcessError> {
        let broken = |error: std::io::Error| ProcessError::Io(error.to_string());
        let order = order(plan).map_err(broken)?;
        let mut supervised = SupervisedChild::spawn(&[]).map_err(broken)?;
        supervised.lifeline.write_all(&order).await.map_err(broken)?;
        Ok(Self(supervised))
    }

    /// The same, by the supervisor that waits, if one does and the plan is of
    /// its kind.
    ///
    /// # Errors
    /// As [`Process::start`].
    pub async fn start_prewarmed(
        plan: &ProcessPlan,
        spares: &SpareSupervisors,
    ) -> Result<Self, ProcessError> {
        if matches!(plan.confinement, Confinement::Namespaces { .. })
            && let Some(mut supervised) = spares.take()
        {
            let order = order(plan).map_err(|error| ProcessError::Io(error.to_string()))?;
            // One that died meanwhile does not hear it.
            if supervised.lifeline.write_all(&order).await.is_ok() {
                return Ok(Self(supervised));
            }
        }
        Self::start(plan).await
    }

    /// Hands on standard error until the process ends, and answers what it
    /// printed: at most `most` bytes.
    ///
    /// # Errors
    /// Each kind of trouble.
    pub async fn finish(
        self,
        deadline: Instant,
        most: u64,
        errors: &mpsc::Sender<Vec<u8>>,
    ) -> Result<ProcessExit, ProcessError> {
        let SupervisedChild { mut child, mut lifeline, stdout, stderr } = self.0;
        let ended = async {
            // Too much output ends it at once, whatever else it does.
            let collected =
                async { collect_bounded(stdout, most).await.ok_or(ProcessError::TooMuchOutput) };
            let handed = async {
                forward_stderr(stderr, errors).await;
                Ok(())
            };
            let piped = async { tokio::try_join!(collected, handed).map(|(stdout, ())| stdout) };
            let code = supervised_child::exit_code(&mut lifeline, &mut child);
            tokio::pin!(piped, code);
            let broken = |error: std::io::Error| ProcessError::Io(error.to_string());
            let (stdout, code) = tokio::select! {
                stdout = &mut piped => (stdout?, code.await),
                code = &mut code => {
                    // It outlives all others, unless somebody has killed it.
                    let rest = tokio::time::timeout(SHUTDOWN_TIMEOUT, piped).await;
                    let killed = |_| ProcessError::Io("its supervisor was killed".to_owned());
                    (rest.map_err(killed)??, code)
                }
            };
            Ok(ProcessExit { code: code.map_err(broken)?, stdout })
        };
        let outcome = match tokio::time::timeout_at(deadline.into(), ended).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ProcessError::TimedOut),
        };
        drop(lifeline);
        // Everything is dead when the caller hears of it; the supervisor may
        // still be cleaning up a process that has reported its code.
        let gone = async move { tokio::time::timeout(SHUTDOWN_TIMEOUT, child.wait()).await };
        if outcome.is_err() {
            let _ = gone.await;
        } else {
            tokio::spawn(gone);
        }
        outcome
    }
}

/// Runs `plan` to its end, and answers with its standard error beside.
///
/// # Errors
/// Each kind of trouble.
pub async fn run_to_end(
    plan: &ProcessPlan,
    deadline: Instant,
    most: u64,
) -> Result<(ProcessExit, Vec<u8>), ProcessError> {
    let process = SkillProcess::start(plan).await?;
    let (sender, mut receiver) = mpsc::channel(1);
    let heard = async {
        let mut all = Vec::new();
        while let Some(mut piece) = receiver.recv().await {
            all.append(&mut piece);
        }
        all
    };
    let finished = async move { process.finish(deadline, most, &sender).await };
    let (ended, errors) = tokio::join!(finished, heard);
    Ok((ended?, errors))
}

/// Starts a program of the user's that nothing confines, with its pipes. It ends
/// with all that it started when its lifeline does, and when its supervisor is
/// killed.
///
/// # Errors
/// There are no processes to be had.
pub async fn spawn_unconfined(
    program: PathBuf,
    words: &[String],
    environment: Environment,
    folder: PathBuf,
) -> std::io::Result<SupervisedChild> {
    let plan = ProcessPlan {
        words: words.iter().map(Into::into).collect(),
        ..unconfined_plan(Purpose::Run, program, environment, folder)
    };
    let order = order(&plan)?;
    let mut supervised = SupervisedChild::spawn(&[supervisor::NESTED])?;
    supervised.lifeline.write_all(&order).await?;
    Ok(supervised)
}

/// The same with `terminal` as the controlling terminal of the program.
///
/// # Errors
/// There are no processes to be had.
pub async fn spawn_in_terminal(
    program: PathBuf,
    environment: Environment,
    folder: PathBuf,
    terminal: OwnedFd,
) -> std::io::Result<TerminalChild> {
    let order = order(&unconfined_plan(Purpose::Terminal, program, environment, folder))?;
    let mut supervised = TerminalChild::spawn(&[supervisor::NESTED], terminal)?;
    supervised.lifeline.write_all(&order).await?;
    Ok(supervised)
}

fn unconfined_plan(
    purpose: Purpose,
    program: PathBuf,
    environment: Environment,
    folder: PathBuf,
) -> ProcessPlan {
    ProcessPlan {
        purpose,
        program,
        words: Vec::new(),
        environment,
        folder,
        readable: Vec::new(),
        writable: Vec::new(),
        limits: Limits::for_purpose(purpose),
        confinement: Confinement::None,
    }
}

/// Everything that comes, or nothing when it is too much.
async fn collect_bounded(stdout: impl AsyncRead + Unpin, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // What cannot be read ends the output, as an end would.
    let _ = stdout.take(most + 1).read_to_end(&mut bytes).await;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// Hands on what comes up to a bound, and reads on behind it, so that the
/// process does not hang where nobody listens.
async fn forward_stderr(mut stderr: impl AsyncRead + Unpin, errors: &mpsc::Sender<Vec<u8>>) {
    let mut piece = vec![0; STDERR_CHUNK_BYTES];
    let mut left = MAX_STDERR_BYTES;
    while let Ok(length @ 1..) = stderr.read(&mut piece).await {
        if left == 0 {
            continue;
        }
        let mut text = piece[..length.min(left)].to_vec();
        left -= text.len();
        if left == 0 {
            text.extend_from_slice(TRUNCATED_NOTICE);
        }
        // Whoever has left is noticed somewhere else.
        let _ = errors.send(text).await;
    }
}

/// What the supervisor reads first.
fn order(plan: &ProcessPlan) -> std::io::Result<Vec<u8>> {
    Ok(frame(&serde_json::to_vec(&plan.without_wide_paths())?))
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::{MAX_STDERR_BYTES, TRUNCATED_NOTICE, collect_bounded, forward_stderr};

    #[tokio::test]
    async fn output_has_a_bound() {
        assert!(collect_bounded(&[b' '; 10][..], 10).await.is_some());
        assert!(collect_bounded(&[b' '; 11][..], 10).await.is_none());
    }

    #[tokio::test]
    async fn standard_error_is_cut_and_says_so() {
        let (sender, mut receiver) = mpsc::channel(1);
        let text = vec![b'x'; MAX_STDERR_BYTES * 2];
        let all = async {
            let mut all = Vec::new();
            while let Some(piece) = receiver.recv().await {
                all.extend(piece);
            }
            all
        };
        let handed = async move { forward_stderr(text.as_slice(), &sender).await };
        let (all, ()) = tokio::join!(all, handed);
        assert_eq!(all.len(), MAX_STDERR_BYTES + TRUNCATED_NOTICE.len());
        assert!(all.ends_with(TRUNCATED_NOTICE));
    }
}
