//! Which process is at the other end of a connection on this machine. The tabs of agents,
//! skills and the requests of the daemon itself never reach the dashboard, whatever name or
//! notation they use for its address: they come from the daemon or from a process below it. So
//! do those of the daemons of other projects.

use std::net::SocketAddr;

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerRefusal {
    /// It comes from a daemon of this machine, or from a process that one started.
    DaemonProcess,
    /// It comes from another user of the machine.
    OtherUser,
}

/// Checks who is at `peer`, which is connected to `local`. Where the system does not say,
/// everybody passes: a caller still needs a link.
///
/// # Errors
/// Who is refused.
pub fn check(local: SocketAddr, peer: SocketAddr) -> Result<(), PeerRefusal> {
    system::check(local, peer)
}

#[cfg(target_os = "linux")]
mod system {
    use std::{
        fs,
        net::{IpAddr, SocketAddr},
    };

    use browse_process::processes::{all_processes, process_name, process_tree};

    use super::PeerRefusal;

    /// What the program of a daemon is called.
    const DAEMON_NAME: &str = "browsed";

    /// One end of a connection in `/proc/net/tcp`.
    #[derive(Debug, PartialEq, Eq)]
    struct SocketRow {
        user: u32,
        inode: u64,
    }

    pub(super) fn check(local: SocketAddr, peer: SocketAddr) -> Result<(), PeerRefusal> {
        // IPv4 through a socket of IPv6 stands in the second table.
        let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
        let row =
            tables.iter().find_map(|table| find_row(&fs::read_to_string(table).ok()?, peer, local));
        let Some(row) = row else { return Ok(()) };
        if row.user != nix::unistd::getuid().as_raw() {
            return Err(PeerRefusal::OtherUser);
        }
        let (own, all) = (std::process::id().cast_signed(), all_processes());
        let is_daemon = |pid: i32| pid == own || process_name(pid).as_deref() == Some(DAEMON_NAME);
        let holds = |pid: &i32| holds_socket(*pid, row.inode);
        let mut daemons = all.iter().map(|process| process.pid).filter(|pid| is_daemon(*pid));
        match daemons.any(|daemon| process_tree(daemon, &all).iter().any(holds)) {
            true => Err(PeerRefusal::DaemonProcess),
            false => Ok(()),
        }
    }

    /// The end at `from` of the connection to `to`.
    fn find_row(table: &str, from: SocketAddr, to: SocketAddr) -> Option<SocketRow> {
        table.lines().skip(1).find_map(|line| {
            let mut columns = line.split_ascii_whitespace().skip(1);
            let is_connection =
                is_address(columns.next()?, from) && is_address(columns.next()?, to);
            if !is_connection {
                return None;
            }
            let mut rest = columns.skip(4);
            Some(SocketRow { user: rest.next()?.parse().ok()?, inode: rest.nth(1)?.parse().ok()? })
        })
    }

    /// Whether a column such as `0100007F:1F90` stands for `address`. Addresses are groups
    /// of four bytes in the order of the machine.
    fn is_address(column: &str, address: SocketAddr) -> bool {
        let Some((host, port)) = column.split_once(':') else { return false };
        let IpAddr::V4(wanted) = address.ip() else { return false };
        let last = host.get(host.len().saturating_sub(8)..).unwrap_or_default();
        let is_host = u32::from_str_radix(last, 16)
            .is_ok_and(|number| number.to_ne_bytes() == wanted.octets());
        is_host && u16::from_str_radix(port, 16) == Ok(address.port())
    }

    fn holds_socket(pid: i32, inode: u64) -> bool {
        let name = format!("socket:[{inode}]");
        let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        open.flatten().any(|entry| {
            fs::read_link(entry.path()).is_ok_and(|target| target.as_os_str() == name.as_str())
        })
    }

    #[cfg(test)]
    mod tests {
        use std::net::{TcpListener, TcpStream};

        use super::*;

        #[test]
        fn a_connection_of_the_own_process_is_known() {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let local = listener.local_addr().expect("bound");
            let client = TcpStream::connect(local).expect("it listens");
            let peer = client.local_addr().expect("connected");
            assert_eq!(check(local, peer), Err(PeerRefusal::DaemonProcess));
            let other = SocketAddr::from(([127, 0, 0, 1], 1));
            assert_eq!(check(local, other), Ok(()), "nobody is there");
        }

        #[test]
        fn rows_are_found_in_both_tables() {
            let header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n";
            let four = "   0: 0100007F:1F90 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1\n";
            let six = "   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1\n";
            let at = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
            for row in [four, six] {
                let found = find_row(&format!("{header}{row}"), at(8080), at(80));
                assert_eq!(found, Some(SocketRow { user: 1000, inode: 4711 }));
                assert_eq!(find_row(&format!("{header}{row}"), at(80), at(8080)), None);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::net::SocketAddr;

    use super::PeerRefusal;

    pub(super) fn check(_: SocketAddr, _: SocketAddr) -> Result<(), PeerRefusal> {
        Ok(())
    }
}
