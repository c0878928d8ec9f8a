//! The profiles of several processes as one.

use crate::model::Profile;

impl Profile {
    /// Returns the profiles of a program's processes as one, with the kernels of each; `None` for an empty list. Tracks of the
    /// timelines are named after their processes; the times of each begin with its own first event.
    pub fn join(mut profiles: Vec<Profile>) -> Option<Profile> {
        if profiles.len() <= 1 {
            return profiles.pop();
        }
        let mut profiles = (1..).zip(profiles);
        let (_, mut all) = profiles.next()?;
        name_tracks(&mut all, 1);
        for (process, mut profile) in profiles {
            name_tracks(&mut profile, process);
            let first = all.kernels.len();
            all.kernels.append(&mut profile.kernels);
            let events = profile.timeline.events.into_iter().map(|mut event| {
                event.kernel = event.kernel.map(|kernel| first + kernel);
                event
            });
            all.timeline.events.extend(events);
            all.timeline.left_out += profile.timeline.left_out;
        }
        all.timeline.events.sort_by_key(|event| event.begin);
        Some(all)
    }
}

fn name_tracks(profile: &mut Profile, process: usize) {
    for event in &mut profile.timeline.events {
        event.track = format!("process {process}, {}", event.track);
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Event, EventKind, Profile, Timeline, VERSION};

    fn profile(name: &str, begin: u64) -> Profile {
        let mut kernel = crate::sample::copy();
        kernel.name = name.to_owned();
        let event = Event {
            track: "queue 0".to_owned(),
            name: name.to_owned(),
            kind: EventKind::Kernel,
            begin,
            end: begin + 1,
            kernel: Some(0),
            bytes: None,
        };
        Profile {
            version: VERSION,
            made_by: String::new(),
            program: vec!["a.out".to_owned()],
            kernels: vec![kernel],
            timeline: Timeline {
                events: vec![event],
                left_out: 3,
            },
        }
    }

    #[test]
    fn events_keep_their_kernels() {
        let joined = Profile::join(vec![profile("a", 9), profile("b", 4)]).expect("two profiles");
        let names: Vec<_> = joined.kernels.iter().map(|kernel| &*kernel.name).collect();
        assert_eq!(names, ["a", "b"]);
        let events = &joined.timeline.events;
        let of_event = |event: &Event| (event.track.clone(), event.kernel);
        let shown: Vec<_> = events.iter().map(of_event).collect();
        let track = |n| format!("process {n}, queue 0");
        assert_eq!(shown, [(track(2), Some(1)), (track(1), Some(0))]);
        assert_eq!(joined.timeline.left_out, 6);
        assert_eq!(Profile::join(Vec::new()), None);
        assert_eq!(Profile::join(vec![profile("a", 1)]), Some(profile("a", 1)));
    }
}
