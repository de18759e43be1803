//! What the sockets and pipes of a run can hold. No file of a process says what lies
//! in them, so each counts as though it were full. seccomp sees to it that one socket
//! sends to one, through a buffer that nobody enlarges, and that a pipe holds pages of
//! its own.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead as _, BufReader};

use nix::unistd::Pid;

use super::threads;

/// What the kernel keeps around the bytes in the buffer of a socket, at most.
const SOCKET_OVERHEAD_BYTES: u64 = 64 << 10;

/// Bytes that a pipe holds. Some can be made larger, all of a user together by 64 MiB.
const PIPE_BYTES: u64 = 64 << 10;

/// How to count the buffers of a run.
pub struct BufferCounter {
    /// A process of the network namespace that only the run is in: all of its sockets
    /// are the run's, those that no descriptor names included.
    network: Option<Pid>,
    /// Bytes of one Unix socket.
    socket_bytes: u64,
    /// Descriptors that a process may have.
    max_descriptors: u64,
}

/// What the descriptors of a run name.
#[derive(Debug, Default)]
struct OpenDescriptors {
    sockets: HashSet<u64>,
    pipes: HashSet<u64>,
    /// Descriptors that cannot be looked at.
    unknown: u64,
}

impl BufferCounter {
    /// Of a run in its own network, or in that of this process.
    pub fn for_network(network: Option<Pid>, descriptors: u64) -> Self {
        let text = fs::read_to_string("/proc/sys/net/core/wmem_default").unwrap_or_default();
        let buffer: u64 = text.trim().parse().unwrap_or(212_992);
        // A message of that size still goes in when the buffer is nearly full.
        Self {
            network,
            socket_bytes: 2 * buffer + SOCKET_OVERHEAD_BYTES,
            max_descriptors: descriptors,
        }
    }

    /// Most bytes that the buffers of these processes hold.
    pub fn max_bytes(&self, pids: &[i32]) -> u64 {
        let mut named = OpenDescriptors::default();
        for thread in pids.iter().flat_map(|pid| threads(*pid)) {
            named.add_thread(&thread, self.max_descriptors);
        }
        let sockets = match self.network {
            // The first line names the columns.
            Some(pid) => file_lines(&format!("/proc/{pid}/net/unix")).skip(1).count() as u64,
            None => named.sockets.len() as u64 + named.unknown,
        };
        let queues = match self.network {
            Some(_) => 0,
            None => tcp_queue_bytes(&named.sockets),
        };
        sockets * self.socket_bytes + named.pipes.len() as u64 * PIPE_BYTES + queues
    }
}

impl OpenDescriptors {
    /// Adds the descriptors of a thread. Threads mostly share them.
    fn add_thread(&mut self, thread: &str, most: u64) {
        let folder = match fs::read_dir(format!("{thread}/fd")) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.unknown += most;
                return;
            }
            // It has ended.
            Err(_) => return,
        };
        for entry in folder.flatten() {
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            let Some((kind, number)) = target.to_str().and_then(|text| text.split_once(":["))
            else {
                continue;
            };
            let Ok(number) = number.trim_end_matches(']').parse() else { continue };
            match kind {
                "socket" => drop(self.sockets.insert(number)),
                "pipe" => drop(self.pipes.insert(number)),
                _ => {}
            }
        }
    }
}

/// What waits in these TCP sockets, which may hold more than Unix sockets do: twice the
/// bytes, for what the kernel keeps around them.
fn tcp_queue_bytes(sockets: &HashSet<u64>) -> u64 {
    if sockets.is_empty() {
        return 0;
    }
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
    let rows = tables.into_iter().flat_map(file_lines).filter_map(|row| parse_queue(&row));
    rows.filter(|(number, _)| sockets.contains(number)).map(|(_, bytes)| 2 * bytes).sum()
}

/// The number of a socket, and the bytes that wait to be sent and to be read.
fn parse_queue(row: &str) -> Option<(u64, u64)> {
    let fields: Vec<_> = row.split_whitespace().collect();
    let (sent, read) = fields.get(4)?.split_once(':')?;
    let bytes = |text| u64::from_str_radix(text, 16).ok();
    Some((fields.get(9)?.parse().ok()?, bytes(sent)? + bytes(read)?))
}

fn file_lines(file: &str) -> impl Iterator<Item = String> {
    let file = fs::File::open(file).ok();
    file.into_iter().flat_map(|file| BufReader::new(file).lines().map_while(Result::ok))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command, Stdio};

    use nix::unistd::Pid;

    use super::{BufferCounter, PIPE_BYTES, parse_queue};

    #[test]
    fn each_socket_and_each_pipe_counts_as_full() {
        let sleep = |stdin: Stdio, stdout: Stdio| {
            let mut command = Command::new("sleep");
            command.arg("60").stdin(stdin).stdout(stdout).spawn().expect("spawned")
        };
        let (reader, _writer) = std::io::pipe().expect("a pipe");
        let (one, _other) = UnixStream::pair().expect("sockets");
        // What a test inherits, both have.
        let mut bare = sleep(Stdio::null(), Stdio::null());
        let mut child = sleep(reader.into(), OwnedFd::from(one).into());
        let buffers = BufferCounter::for_network(None, 1024);
        let most = |child: &Child| buffers.max_bytes(&[child.id().cast_signed()]);
        assert_eq!(most(&child), most(&bare) + PIPE_BYTES + buffers.socket_bytes);
        // All of the network namespace count, whichever process has them.
        let all = BufferCounter::for_network(Some(Pid::this()), 1024);
        assert!(all.max_bytes(&[]) >= 2 * all.socket_bytes);
        for child in [&mut bare, &mut child] {
            child.kill().expect("killed");
            child.wait().expect("collected");
            assert_eq!(buffers.max_bytes(&[child.id().cast_signed()]), 0);
        }
    }

    #[test]
    fn what_waits_in_a_tcp_socket_counts() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let mut sender =
            TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        let (_receiver, _) = listener.accept().expect("accepted");
        let pid = std::process::id().cast_signed();
        let before = super::tcp_queue_bytes(&inodes(pid));
        sender.write_all(&[0; 100_000]).expect("sent");
        assert!(super::tcp_queue_bytes(&inodes(pid)) >= before + 200_000);
    }

    fn inodes(pid: i32) -> std::collections::HashSet<u64> {
        let mut named = super::OpenDescriptors::default();
        for thread in super::threads(pid) {
            named.add_thread(&thread, 0);
        }
        named.sockets
    }

    #[test]
    fn rows_of_the_kernel_are_read() {
        let row = "  0: 0100007F:E1F2 00000000:0000 0A 00000010:00000002 00:00000000 00000000  \
                   1000        0 777 1 0000 100 0 0 10 0";
        assert_eq!(parse_queue(row), Some((777, 0x12)));
        assert_eq!(parse_queue("  sl  local_address rem_address   st tx_queue rx_queue tr"), None);
    }
}
