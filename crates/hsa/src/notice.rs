//! Notices: events that a module sends to modules that build on it, without naming them.

use std::sync::OnceLock;

/// The receivers of one kind of notice. `life.rs` connects them before the library can be used.
pub(crate) struct Notice<T: 'static>(OnceLock<&'static [fn(T)]>);

impl<T: Copy> Notice<T> {
    pub(crate) const fn new() -> Notice<T> {
        Notice(OnceLock::new())
    }

    /// Sets the receivers, in the order in which they are called. Later calls have no effect.
    pub(crate) fn connect(&self, receivers: &'static [fn(T)]) {
        let _ = self.0.set(receivers);
    }

    /// Calls each receiver with the subject of the notice.
    pub(crate) fn send(&self, about: T) {
        for receiver in self.0.get().copied().unwrap_or_default() {
            receiver(about);
        }
    }
}
