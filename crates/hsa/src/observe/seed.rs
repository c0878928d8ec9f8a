//! The seed of a random schedule, printed when the program ends: with it the run can be repeated.

use std::sync::OnceLock;

use wavetank::Schedule;

use crate::log;

static SCHEDULE: OnceLock<Schedule> = OnceLock::new();

/// Prints the seed at exit, if there is one.
pub(crate) fn print_at_exit(schedule: Schedule) {
    if matches!(schedule, Schedule::Random(_)) && SCHEDULE.set(schedule).is_ok() {
        // SAFETY: the function only reads a static of the library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
    }
}

extern "C" fn at_exit() {
    if let Some(schedule) = SCHEDULE.get() {
        log::line(&format!("the schedule was {schedule}"));
    }
}
