//! A trace of launches, copies and calls for Perfetto.
//!
//! Source: Perfetto's `trace_packet.proto`, `track_event.proto` and `track_descriptor.proto`; of their fields those that are used.

use std::collections::HashMap;

use prost::Message;
use wavetank_quote::plain;

use crate::lines::own;
use crate::model::{Event, EventKind, Kernel, Profile};

#[derive(Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Message)]
struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Message)]
struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    uuid: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, optional, tag = "3")]
    process: Option<ProcessDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
}

#[derive(Message)]
struct ProcessDescriptor {
    #[prost(int32, tag = "1")]
    pid: i32,
    #[prost(string, repeated, tag = "2")]
    cmdline: Vec<String>,
    #[prost(string, tag = "6")]
    process_name: String,
}

#[derive(Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "Type", tag = "9")]
    r#type: i32,
    #[prost(uint64, tag = "11")]
    track_uuid: u64,
    #[prost(string, repeated, tag = "22")]
    categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum Type {
    Unspecified = 0,
    SliceBegin = 1,
    SliceEnd = 2,
}

#[derive(Message)]
struct DebugAnnotation {
    #[prost(uint64, optional, tag = "3")]
    uint_value: Option<u64>,
    #[prost(string, optional, tag = "6")]
    string_value: Option<String>,
    #[prost(string, tag = "10")]
    name: String,
}

/// The sequence of all packets.
const SEQUENCE: u32 = 1;
/// The identity of the process, the first of the tracks.
const PROCESS: u64 = 1;

/// Returns the timeline of a profile as a trace of Perfetto, which <https://ui.perfetto.dev> opens.
pub fn trace(profile: &Profile) -> Vec<u8> {
    let program: Vec<String> = profile
        .program
        .iter()
        .map(|word| plain(word).to_string())
        .collect();
    let process = TrackDescriptor {
        uuid: PROCESS,
        name: String::new(),
        process: Some(ProcessDescriptor {
            // The number of the process is not known; 0 would be the idle task.
            pid: 1,
            process_name: program.first().cloned().unwrap_or_default(),
            cmdline: program,
        }),
        parent_uuid: None,
    };
    let mut packet = vec![described(process)];
    for (n, (name, events)) in tracks(&profile.timeline.events).into_iter().enumerate() {
        let uuid = PROCESS + 1 + n as u64;
        packet.push(described(TrackDescriptor {
            uuid,
            name,
            process: None,
            parent_uuid: Some(PROCESS),
        }));
        slices(&events, uuid, &profile.kernels, &mut packet);
    }
    Trace { packet }.encode_to_vec()
}

fn described(track: TrackDescriptor) -> TracePacket {
    TracePacket {
        timestamp: None,
        trusted_packet_sequence_id: SEQUENCE,
        track_event: None,
        track_descriptor: Some(track),
    }
}

/// Limit of the tracks of one name. Events beyond it, which only a damaged profile has, are left out.
const MAX_SIDE_BY_SIDE: usize = 64;

/// A track while its events are being collected.
struct Track<'e> {
    name: String,
    events: Vec<&'e Event>,
    /// The ends of the events that have not ended, the outermost first.
    open: Vec<u64>,
}

impl<'e> Track<'e> {
    /// Adds an event that begins after those before, unless it ends after one that is open.
    fn add(&mut self, event: &'e Event) -> bool {
        while self.open.last().is_some_and(|end| *end <= event.begin) {
            self.open.pop();
        }
        let fits = self.open.last().is_none_or(|end| *end >= event.end);
        if fits {
            self.events.push(event);
            self.open.push(event.end);
        }
        fits
    }
}

/// Returns the tracks with their events in order. Events that overlap without one being inside the other, as launches of a queue
/// may, are on several tracks of one name.
pub(super) fn tracks(events: &[Event]) -> Vec<(String, Vec<&Event>)> {
    let mut sorted: Vec<&Event> = events.iter().collect();
    sorted.sort_by_key(|event| (event.begin, std::cmp::Reverse(event.end)));
    let mut tracks: Vec<Track<'_>> = Vec::new();
    let mut of_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for event in sorted {
        let own = of_name.entry(&event.track).or_default();
        if own.iter().any(|place| tracks[*place].add(event)) || own.len() == MAX_SIDE_BY_SIDE {
            continue;
        }
        own.push(tracks.len());
        tracks.push(Track {
            name: plain(&event.track).to_string(),
            events: vec![event],
            open: vec![event.end],
        });
    }
    let tracks = tracks.into_iter();
    tracks.map(|track| (track.name, track.events)).collect()
}

/// Adds the beginnings and ends of nested events in the order of time.
fn slices(events: &[&Event], track: u64, kernels: &[Kernel], packets: &mut Vec<TracePacket>) {
    let mut open: Vec<u64> = Vec::new();
    for event in events {
        while let Some(end) = open.pop_if(|end| *end <= event.begin) {
            packets.push(slice(end, end_of(track)));
        }
        packets.push(slice(event.begin, begin_of(event, track, kernels)));
        open.push(event.end);
    }
    while let Some(end) = open.pop() {
        packets.push(slice(end, end_of(track)));
    }
}

fn slice(timestamp: u64, event: TrackEvent) -> TracePacket {
    TracePacket {
        timestamp: Some(timestamp),
        trusted_packet_sequence_id: SEQUENCE,
        track_event: Some(event),
        track_descriptor: None,
    }
}

fn end_of(track: u64) -> TrackEvent {
    TrackEvent {
        debug_annotations: Vec::new(),
        r#type: Type::SliceEnd.into(),
        track_uuid: track,
        categories: Vec::new(),
        name: None,
    }
}

fn begin_of(event: &Event, track: u64, kernels: &[Kernel]) -> TrackEvent {
    let category = match event.kind {
        EventKind::Kernel => "kernel",
        EventKind::Copy => "copy",
        EventKind::Call => "call",
    };
    let bytes = event.bytes.map(|bytes| DebugAnnotation {
        uint_value: Some(bytes),
        string_value: None,
        name: "bytes".to_owned(),
    });
    let source = event.kernel.and_then(|n| source_of(kernels.get(n)?));
    let source = source.map(|source| DebugAnnotation {
        uint_value: None,
        string_value: Some(source),
        name: "source".to_owned(),
    });
    TrackEvent {
        debug_annotations: bytes.into_iter().chain(source).collect(),
        r#type: Type::SliceBegin.into(),
        track_uuid: track,
        categories: vec![category.to_owned()],
        name: Some(plain(&event.name).to_string()),
    }
}

/// Returns the first line of a kernel: `k.hip:3`, or `kernel.py:12` of Triton.
fn source_of(kernel: &Kernel) -> Option<String> {
    let frames = kernel.instructions.iter().filter_map(|i| own(&i.frames));
    let first = frames.min_by_key(|frame| frame.line)?;
    Some(format!("{}:{}", plain(&first.file), first.line))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::sample::{copy, profile};

    fn event(track: &str, begin: u64, end: u64) -> Event {
        Event {
            track: track.into(),
            name: format!("{begin}-{end}"),
            kind: EventKind::Call,
            begin,
            end,
            kernel: None,
            bytes: None,
        }
    }

    fn names(events: &[Event]) -> Vec<(String, Vec<String>)> {
        let tracks = tracks(events).into_iter();
        let names = |events: Vec<&Event>| events.iter().map(|e| e.name.clone()).collect();
        tracks
            .map(|(track, events)| (track, names(events)))
            .collect()
    }

    #[test]
    fn events_that_overlap_are_on_tracks_of_their_own() {
        let events = [
            event("q", 5, 9),
            event("q", 0, 4),
            event("q", 1, 2),
            event("q", 3, 6),
            event("p", 3, 6),
        ];
        let track = |name: &str, events: &[&str]| {
            (
                name.to_owned(),
                events
                    .iter()
                    .map(|e| (*e).to_owned())
                    .collect::<Vec<String>>(),
            )
        };
        assert_eq!(
            names(&events),
            [
                track("q", &["0-4", "1-2", "5-9"]),
                track("q", &["3-6"]),
                track("p", &["3-6"])
            ]
        );
    }

    /// Reads the trace by the definitions of Perfetto's Python package, and writes what is in it.
    const READER: &str = "
import sys
try:
    from google.protobuf.unknown_fields import UnknownFieldSet
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as p
except ImportError:
    sys.exit(77)
trace = p.Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
names, open_slices = {}, {}
for packet in trace.packet:
    assert packet.trusted_packet_sequence_id == 1
    assert not UnknownFieldSet(packet)
    if packet.HasField('track_descriptor'):
        d = packet.track_descriptor
        names[d.uuid] = d.name
        if d.HasField('process'):
            print('process', d.process.process_name, list(d.process.cmdline))
        else:
            assert d.parent_uuid in names
    else:
        e = packet.track_event
        stack = open_slices.setdefault(e.track_uuid, [])
        if e.type == p.TrackEvent.TYPE_SLICE_BEGIN:
            about = [(a.name, a.string_value or a.uint_value) for a in e.debug_annotations]
            stack.append((e.name, list(e.categories), packet.timestamp, about))
        else:
            assert e.type == p.TrackEvent.TYPE_SLICE_END
            name, categories, begin, about = stack.pop()
            print(names[e.track_uuid], '|', name, '|', categories[0], begin, packet.timestamp, about)
assert not any(open_slices.values())
";

    #[test]
    fn perfetto_reads_the_trace() {
        let mut profile = profile(vec![copy()]);
        profile.timeline.events.push(event("thread 1", 50, 700));
        profile.timeline.events.push(event("thread 1", 60, 80));
        let path = std::env::temp_dir().join(format!("wavetank-trace-{}", std::process::id()));
        std::fs::write(&path, trace(&profile)).unwrap();
        let out = Command::new("python3")
            .args(["-c", READER])
            .arg(&path)
            .output();
        std::fs::remove_file(&path).unwrap();
        let out = match out {
            Ok(out) if out.status.code() != Some(77) => out,
            _ => return println!("SKIP: there is no Python with the package perfetto"),
        };
        let text = String::from_utf8_lossy(&out.stdout);
        let expected = "\
process ./a.out ['./a.out']
thread 1 | 60-80 | call 60 80 []
thread 1 | 50-700 | call 50 700 []
queue 1 | copy | kernel 100 600 [('source', 'k.hip:2')]
copies | host to device | copy 5000 5400 [('bytes', 4096)]
";
        assert_eq!(text, expected, "{}", String::from_utf8_lossy(&out.stderr));
    }
}
