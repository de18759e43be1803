//! WebM: the container of VP8 films.
//!
//! Elements are an id, a size and a body: <https://www.rfc-editor.org/rfc/rfc8794>;
//! which there are: <https://www.webmproject.org/docs/container/>.

/// Longest cluster, in milliseconds: the times in it have 16 bits.
const MAX_CLUSTER_MS: u64 = 5_000;

/// A frame of the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VideoFrame {
    /// When it is shown, in milliseconds.
    pub time: u64,
    /// Where its bytes begin on the reel.
    pub offset: u64,
    /// How many they are.
    pub length: u32,
}

/// A piece of the file.
#[derive(Debug, PartialEq, Eq)]
pub enum WebmPiece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The bytes of a frame.
    Frame(VideoFrame),
}

/// The whole file, in order, of a film of key frames that is `duration`
/// milliseconds long.
pub fn pieces(frames: &[VideoFrame], size: (u32, u32), duration: u64) -> Vec<WebmPiece> {
    let head = [info(duration), tracks(size)].concat();
    let clusters = clusters(frames);
    let mut at = head.len() as u64;
    let mut points = Vec::new();
    for cluster in &clusters {
        points.push(cue_point(cluster.time, at));
        at += cluster.length();
    }
    let cues = element(&[0x1c, 0x53, 0xbb, 0x6b], &points.concat());
    let mut begin = ebml();
    begin.extend([0x18, 0x53, 0x80, 0x67]);
    begin.extend(size_vint(at + cues.len() as u64));
    begin.extend(head);
    let mut all = vec![WebmPiece::Bytes(begin)];
    for cluster in clusters {
        let mut bytes = vec![0x1f, 0x43, 0xb6, 0x75];
        bytes.extend(size_vint(cluster.body()));
        bytes.extend(cluster.timecode());
        for frame in &cluster.frames {
            bytes.extend(simple_block_header(frame, cluster.time));
            all.push(WebmPiece::Bytes(std::mem::take(&mut bytes)));
            all.push(WebmPiece::Frame(*frame));
        }
    }
    all.push(WebmPiece::Bytes(cues));
    all
}

struct WebmCluster {
    time: u64,
    frames: Vec<VideoFrame>,
}

fn clusters(frames: &[VideoFrame]) -> Vec<WebmCluster> {
    let mut all: Vec<WebmCluster> = Vec::new();
    for frame in frames {
        match all.last_mut() {
            Some(cluster) if frame.time - cluster.time < MAX_CLUSTER_MS => {
                cluster.frames.push(*frame)
            }
            _ => all.push(WebmCluster { time: frame.time, frames: vec![*frame] }),
        }
    }
    all
}

impl WebmCluster {
    fn timecode(&self) -> Vec<u8> {
        element(&[0xe7], &uint(self.time))
    }

    fn body(&self) -> u64 {
        let blocks = self.frames.iter().map(|frame| {
            simple_block_header(frame, self.time).len() as u64 + u64::from(frame.length)
        });
        self.timecode().len() as u64 + blocks.sum::<u64>()
    }

    /// With its id and its size.
    fn length(&self) -> u64 {
        4 + 8 + self.body()
    }
}

fn ebml() -> Vec<u8> {
    let body = [
        element(&[0x42, 0x86], &[1]),
        element(&[0x42, 0xf7], &[1]),
        element(&[0x42, 0xf2], &[4]),
        element(&[0x42, 0xf3], &[8]),
        element(&[0x42, 0x82], b"webm"),
        element(&[0x42, 0x87], &[2]),
        element(&[0x42, 0x85], &[2]),
    ];
    element(&[0x1a, 0x45, 0xdf, 0xa3], &body.concat())
}

/// Times are in milliseconds.
fn info(duration: u64) -> Vec<u8> {
    let body = [
        element(&[0x2a, 0xd7, 0xb1], &uint(1_000_000)),
        element(&[0x44, 0x89], &(duration as f64).to_be_bytes()),
        element(&[0x4d, 0x80], b"browse"),
        element(&[0x57, 0x41], b"browse"),
    ];
    element(&[0x15, 0x49, 0xa9, 0x66], &body.concat())
}

/// One track of video.
fn tracks((width, height): (u32, u32)) -> Vec<u8> {
    // As WebP has them: the matrix of BT.601 in the limited range, sRGB else.
    // Players take BT.709 for a film of this size when nothing is reported.
    let colour = [
        element(&[0x55, 0xb1], &[6]),
        element(&[0x55, 0xb9], &[1]),
        element(&[0x55, 0xba], &[13]),
        element(&[0x55, 0xbb], &[1]),
    ];
    let video = [
        element(&[0xb0], &uint(width.into())),
        element(&[0xba], &uint(height.into())),
        element(&[0x55, 0xb0], &colour.concat()),
    ];
    let entry = [
        element(&[0xd7], &[1]),
        element(&[0x73, 0xc5], &[1]),
        element(&[0x83], &[1]),
        element(&[0x9c], &[0]),
        element(&[0x86], b"V_VP8"),
        element(&[0xe0], &video.concat()),
    ];
    element(&[0x16, 0x54, 0xae, 0x6b], &element(&[0xae], &entry.concat()))
}

fn cue_point(time: u64, position: u64) -> Vec<u8> {
    let track = [element(&[0xf7], &[1]), element(&[0xf1], &uint(position))];
    let body = [element(&[0xb3], &uint(time)), element(&[0xb7], &track.concat())];
    element(&[0xbb], &body.concat())
}

/// What stands before the bytes of a key frame.
fn simple_block_header(frame: &VideoFrame, cluster: u64) -> Vec<u8> {
    // Below 5,000: see CLUSTER.
    let time = i16::try_from(frame.time - cluster).unwrap_or(i16::MAX).to_be_bytes();
    let mut bytes = vec![0xa3];
    bytes.extend(size_vint(4 + u64::from(frame.length)));
    bytes.extend([0x81, time[0], time[1], 0x80]);
    bytes
}

fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    [id, &size_vint(body.len() as u64), body].concat()
}

/// A size in eight bytes.
fn size_vint(size: u64) -> [u8; 8] {
    (size | 1 << 56).to_be_bytes()
}

/// A number without leading zeros.
fn uint(value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let zeros = bytes.iter().take(7).take_while(|byte| **byte == 0).count();
    bytes[zeros..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_stand_where_the_cues_say() {
        let frame = |time, offset| VideoFrame { time, offset, length: 10 };
        let frames = [frame(0, 0), frame(4_900, 10), frame(5_100, 20), frame(40_000, 30)];
        let mut file = Vec::new();
        for piece in pieces(&frames, (640, 360), 41_000) {
            match piece {
                WebmPiece::Bytes(bytes) => file.extend(bytes),
                WebmPiece::Frame(frame) => file.extend(vec![0xff; frame.length as usize]),
            }
        }
        let segment = file.windows(4).position(|w| w == [0x18, 0x53, 0x80, 0x67]).expect("one");
        let size = u64::from_be_bytes(file[segment + 4..segment + 12].try_into().expect("8"));
        assert_eq!((size & !(1 << 56)) as usize, file.len() - segment - 12);
        let places = file.windows(4).enumerate().filter(|(_, w)| *w == [0x1f, 0x43, 0xb6, 0x75]);
        let places: Vec<_> = places.map(|(at, _)| (at - segment - 12) as u64).collect();
        assert_eq!(places.len(), 3);
        for (place, time) in places.iter().zip([0, 5_100, 40_000]) {
            let cue = cue_point(time, *place);
            assert!(file.windows(cue.len()).any(|part| part == cue), "{place}");
        }
    }
}
