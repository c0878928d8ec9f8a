//! Messages: texts that come in several calls, each with up to seven quadwords.

use std::collections::HashMap;

use super::format::formatted;
use super::stream::Stream;

/// Bits of the descriptor in the first quadword of a request (ROCm Device Libraries, `services.cl`): whether a message begins or
/// ends with it, how many quadwords follow, and the number of the message.
const BEGINS: u64 = 1;
const ENDS: u64 = 2;
const LENGTH: u32 = 5;
const NUMBER: u32 = 8;

/// The bit of a text's first quadword that sends it to standard error.
const TO_ERR: u64 = 1;

/// The most quadwords of all messages that have not ended: a kernel cannot fill the memory of the host.
const MOST_QUADS: usize = 1 << 23;

/// The most messages that have not ended.
const MOST_OPEN: usize = 1 << 18;

/// The messages that have begun and not ended.
#[derive(Default)]
pub(super) struct Messages {
    open: HashMap<u64, Vec<u64>>,
    /// The quadwords of all of them.
    quads: usize,
    next: u64,
}

impl Messages {
    /// Takes a part of a message, and prints the text with its last one. Returns the answer: the descriptor for the next part, or
    /// the number of bytes that were printed.
    pub(super) fn take(&mut self, request: &[u64; 8], print: &dyn Fn(Stream, &str)) -> [u64; 2] {
        let descriptor = request[0];
        let number = if descriptor & BEGINS != 0 {
            self.next += 1;
            if self.open.len() < MOST_OPEN {
                self.open.insert(self.next, Vec::new());
            }
            self.next
        } else {
            descriptor >> NUMBER
        };
        let Some(message) = self.open.get_mut(&number) else {
            // The kernel makes its own descriptors, or begins messages without end.
            return [u64::from(u32::MAX), 0];
        };
        let length = (descriptor >> LENGTH & 7) as usize;
        if self.quads + length <= MOST_QUADS {
            message.extend_from_slice(&request[1..1 + length]);
            self.quads += length;
        }
        if descriptor & ENDS == 0 {
            let others = (1 << NUMBER) - 1;
            return [number << NUMBER | descriptor & others & !BEGINS, 0];
        }
        let message = self.open.remove(&number).unwrap_or_default();
        self.quads -= message.len();
        let Some((control, data)) = message.split_first() else {
            return [u64::from(u32::MAX), 0];
        };
        let stream = if control & TO_ERR != 0 {
            Stream::Err
        } else {
            Stream::Out
        };
        let bytes = formatted(data);
        print(stream, &String::from_utf8_lossy(&bytes));
        [bytes.len() as u64, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Sends parts as device code does. Returns the last answer.
    fn send(messages: &mut Messages, parts: &[&[u64]], print: &dyn Fn(Stream, &str)) -> u64 {
        let mut descriptor = BEGINS;
        for (n, part) in parts.iter().enumerate() {
            let ends = if n + 1 == parts.len() { ENDS } else { 0 };
            let mut request = [0; 8];
            let length = 7 << LENGTH;
            request[0] = descriptor & !length | ends | (part.len() as u64) << LENGTH;
            request[1..1 + part.len()].copy_from_slice(part);
            descriptor = messages.take(&request, print)[0];
        }
        descriptor
    }

    fn quad(text: &[u8; 8]) -> u64 {
        u64::from_le_bytes(*text)
    }

    #[test]
    fn a_text_is_printed_with_its_last_part() {
        let printed = RefCell::new(Vec::new());
        let print = |stream, text: &str| printed.borrow_mut().push((stream, text.to_owned()));
        let mut messages = Messages::default();
        let parts: [&[u64]; 3] = [
            &[0],
            &[quad(b"x=%d, %s"), quad(b"\n\0\0\0\0\0\0\0")],
            &[7, quad(b"ab\0\0\0\0\0\0")],
        ];
        assert_eq!(send(&mut messages, &parts, &print), 8);
        let parts: [&[u64]; 2] = [&[TO_ERR], &[quad(b"no!\0\0\0\0\0")]];
        assert_eq!(send(&mut messages, &parts, &print), 3);
        let expected = [
            (Stream::Out, "x=7, ab\n".to_owned()),
            (Stream::Err, "no!".to_owned()),
        ];
        assert_eq!(printed.into_inner(), expected);
        assert!(messages.open.is_empty());
    }

    #[test]
    fn parts_of_several_messages_do_not_mix() {
        let printed = RefCell::new(String::new());
        let print = |_, text: &str| printed.borrow_mut().push_str(text);
        let mut messages = Messages::default();
        let part = |descriptor, data: &[u64]| {
            let mut request = [0; 8];
            request[0] = descriptor | (data.len() as u64) << LENGTH;
            request[1..1 + data.len()].copy_from_slice(data);
            request
        };
        let mut ask = |request: [u64; 8]| messages.take(&request, &print)[0] & !(7 << LENGTH);
        let one = ask(part(BEGINS, &[0]));
        let two = ask(part(BEGINS, &[0]));
        assert_ne!(one, two);
        let two = ask(part(two, &[quad(b"two %d\n\0")]));
        let one = ask(part(one, &[quad(b"one %d\n\0")]));
        ask(part(one | ENDS, &[1]));
        ask(part(two | ENDS, &[2]));
        assert_eq!(printed.into_inner(), "one 1\ntwo 2\n");
    }

    #[test]
    fn messages_without_end_take_no_more_memory() {
        let mut messages = Messages::default();
        let print = |_, _: &str| {};
        let seven = BEGINS | 7 << LENGTH;
        for _ in 0..MOST_OPEN + 9 {
            messages.take(&[seven, 1, 2, 3, 4, 5, 6, 7], &print);
        }
        assert_eq!(messages.open.len(), MOST_OPEN);
        assert_eq!(messages.quads, 7 * MOST_OPEN);
        // One of them that goes on without end.
        let goes_on = 1 << NUMBER | 7 << LENGTH;
        for _ in 0..MOST_QUADS {
            messages.take(&[goes_on, 1, 2, 3, 4, 5, 6, 7], &print);
        }
        assert!(messages.quads <= MOST_QUADS);
        messages.take(&[1 << NUMBER | ENDS, 0, 0, 0, 0, 0, 0, 0], &print);
        assert_eq!(messages.quads, 7 * (MOST_OPEN - 1));
    }

    #[test]
    fn descriptors_of_no_message_are_refused() {
        let mut messages = Messages::default();
        let print = |_, _: &str| unreachable!("there is no text");
        for descriptor in [ENDS, 77 << NUMBER, !BEGINS, BEGINS | ENDS] {
            let request = [descriptor, 0, 0, 0, 0, 0, 0, 0];
            assert_eq!(messages.take(&request, &print)[0], u64::from(u32::MAX));
        }
        assert!(messages.open.is_empty());
    }
}
