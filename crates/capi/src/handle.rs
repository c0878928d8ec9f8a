//! Handles: the pointers that stand for objects.
//!
//! A handle is not an address but a token: the kind of object, its place in a table, and how often the place was used before. So it can
//! be looked up without reading memory, and one that was freed, made up, or of another kind is an error. Its top bits are those of
//! no address of a program. A call keeps its objects alive: freeing a handle while other threads use it is safe.

use std::any::Any;
use std::sync::{Arc, PoisonError, RwLock};

use crate::failure::{Failure, Result};
use crate::last_error::guarded;
use crate::pointer::Out;
use crate::status::wavetank_status::{self, *};

/// The kind of an object, by its number in tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Device,
    Buffer,
    Module,
    Kernel,
    Launch,
    Wave,
    Assembly,
    Listing,
    Explanation,
    Findings,
}

impl Kind {
    const ALL: [Kind; 10] = [
        Kind::Device,
        Kind::Buffer,
        Kind::Module,
        Kind::Kernel,
        Kind::Launch,
        Kind::Wave,
        Kind::Assembly,
        Kind::Listing,
        Kind::Explanation,
        Kind::Findings,
    ];

    /// The kind with its article.
    fn name(self) -> &'static str {
        match self {
            Kind::Device => "a device",
            Kind::Buffer => "a buffer",
            Kind::Module => "a module",
            Kind::Kernel => "a kernel",
            Kind::Launch => "a launch",
            Kind::Wave => "a wave",
            Kind::Assembly => "an assembly",
            Kind::Listing => "a listing",
            Kind::Explanation => "an explanation",
            Kind::Findings => "findings",
        }
    }
}

/// An object that has handles.
pub(crate) trait Handled: Send + Sync + 'static {
    /// The type that a handle points to in C, where nothing is known of it.
    type Opaque;
    const KIND: Kind;
}

/// The bits of a token, from the lowest on: the place in the table, its generation, and the kind.
const PLACE_BITS: u32 = 24;
const KIND_SHIFT: u32 = 56;
/// Added to a kind in the top byte: addresses of programs have zeros there.
const MARK: usize = 0x40;

struct Token {
    kind: Kind,
    generation: u32,
    place: usize,
}

impl Token {
    fn bits(&self) -> usize {
        (MARK | self.kind as usize) << KIND_SHIFT
            | (self.generation as usize) << PLACE_BITS
            | self.place
    }

    fn of(bits: usize) -> Option<Token> {
        let top = bits >> KIND_SHIFT;
        let kind = top.checked_sub(MARK)?;
        Some(Token {
            kind: *Kind::ALL.get(kind)?,
            generation: (bits >> PLACE_BITS) as u32,
            place: bits & ((1 << PLACE_BITS) - 1),
        })
    }
}

/// A place of the table.
struct Slot {
    /// The number of earlier objects here.
    generation: u32,
    kind: Kind,
    /// The process in which the object was made.
    process: u32,
    object: Option<Arc<dyn Any + Send + Sync>>,
}

struct Table {
    slots: Vec<Slot>,
    /// The places without an object that can be used again.
    free: Vec<u32>,
}

static TABLE: RwLock<Table> = RwLock::new(Table {
    slots: Vec::new(),
    free: Vec::new(),
});

impl Table {
    fn insert(&mut self, kind: Kind, object: Arc<dyn Any + Send + Sync>) -> Result<Token> {
        let process = std::process::id();
        let object = Some(object);
        if let Some(place) = self.free.pop() {
            let place = place as usize;
            let slot = &mut self.slots[place];
            (slot.kind, slot.process, slot.object) = (kind, process, object);
            let generation = slot.generation;
            return Ok(Token {
                kind,
                generation,
                place,
            });
        }
        let place = self.slots.len();
        if place == 1 << PLACE_BITS {
            let sentence = format!("there are {place} handles: free those that are not used");
            return Err(Failure::new(WAVETANK_ERROR_MEMORY, sentence));
        }
        self.slots.push(Slot {
            generation: 0,
            kind,
            process,
            object,
        });
        Ok(Token {
            kind,
            generation: 0,
            place,
        })
    }

    /// Finds the object of a handle.
    fn find(&self, bits: usize, wanted: Kind, name: &str) -> Result<usize> {
        let wrong = |what: &str| Failure::new(WAVETANK_ERROR_HANDLE, format!("`{name}` {what}"));
        let article = wanted.name();
        if bits == 0 {
            return Err(wrong(&format!("is null, not {article}")));
        }
        let stranger = || wrong(&format!("is not {article}, nor any handle of this library"));
        let token = Token::of(bits).ok_or_else(stranger)?;
        if token.kind != wanted {
            let is = token.kind.name();
            return Err(wrong(&format!("is {is}, not {article}")));
        }
        let slot = self.slots.get(token.place).ok_or_else(stranger)?;
        if token.generation > slot.generation {
            return Err(stranger());
        }
        if token.generation < slot.generation || slot.object.is_none() {
            return Err(wrong("has been freed"));
        }
        if slot.kind != token.kind {
            return Err(stranger());
        }
        if slot.process != std::process::id() {
            return Err(wrong("was made before a fork: make one in each process"));
        }
        Ok(token.place)
    }

    /// Takes an object out, whose handle is wrong from then on.
    fn remove(&mut self, place: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        let slot = &mut self.slots[place];
        let object = slot.object.take();
        // A place whose generations are used up is left alone: a handle never stands for two objects.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(place as u32);
        }
        object
    }
}

/// Makes a handle for an object.
///
/// # Errors
/// There are as many as can be.
fn insert<T: Handled>(object: T) -> Result<*mut T::Opaque> {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let token = table.insert(T::KIND, Arc::new(object))?;
    Ok(std::ptr::without_provenance_mut(token.bits()))
}

/// Returns the object of a handle. `name` is that of the parameter.
///
/// # Errors
/// [`WAVETANK_ERROR_HANDLE`] for any other value.
pub(crate) fn get<T: Handled>(handle: *const T::Opaque, name: &str) -> Result<Arc<T>> {
    let object = {
        let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
        let place = table.find(handle.addr(), T::KIND, name)?;
        table.slots[place].object.clone()
    };
    let object = object.and_then(|object| object.downcast().ok());
    object.ok_or_else(|| {
        let sentence = format!("`{name}` has an object of another kind");
        Failure::new(WAVETANK_ERROR_INTERNAL, sentence)
    })
}

/// Frees a handle; null is none. The object lives until calls of other threads that use it return.
pub(crate) fn free<T: Handled>(handle: *mut T::Opaque, name: &str) -> wavetank_status {
    guarded(|| {
        if handle.is_null() {
            return Ok(());
        }
        let object = {
            let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
            let place = table.find(handle.addr(), T::KIND, name)?;
            table.remove(place)
        };
        // Its end may take long: others go on meanwhile.
        drop(object);
        Ok(())
    })
}

/// Runs the body of a call that makes an object, and writes its handle; null if it fails.
///
/// # Safety
/// By the caller's promise, `out` is null or can be written.
pub(crate) unsafe fn create<T: Handled>(
    out: *mut *mut T::Opaque,
    name: &str,
    body: impl FnOnce() -> Result<T>,
) -> wavetank_status {
    guarded(|| {
        // SAFETY: by the caller's promise.
        let out = unsafe { Out::of(out, name) }?;
        out.set(std::ptr::null_mut());
        out.set(insert(body()?)?);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number;

    impl Handled for Number {
        type Opaque = u8;
        const KIND: Kind = Kind::Wave;
    }

    #[test]
    fn a_handle_stands_for_one_object() {
        let first = insert(Number).unwrap();
        assert!(get::<Number>(first, "n").is_ok());
        assert_eq!(free::<Number>(first, "n"), WAVETANK_OK);
        let again = get::<Number>(first, "n").err().unwrap();
        assert_eq!(again.sentence, "`n` has been freed");
        // Tests beside this one may take the place first.
        let second = insert(Number).unwrap();
        assert_ne!(first, second);
        assert!(get::<Number>(first, "n").is_err());
        assert_eq!(free::<Number>(first, "n"), WAVETANK_ERROR_HANDLE);
        assert_eq!(free::<Number>(second, "n"), WAVETANK_OK);
    }

    #[test]
    fn a_place_is_left_alone_after_its_last_generation() {
        let mut table = Table {
            slots: Vec::new(),
            free: Vec::new(),
        };
        let object = || Arc::new(Number);
        table.insert(Kind::Wave, object()).unwrap();
        table.slots[0].generation = u32::MAX;
        assert!(table.remove(0).is_some());
        let token = table.insert(Kind::Wave, object()).unwrap();
        assert_eq!(token.place, 1);
    }

    #[test]
    fn handles_are_no_addresses_of_programs() {
        for kind in Kind::ALL {
            let token = Token {
                kind,
                generation: u32::MAX,
                place: (1 << PLACE_BITS) - 1,
            };
            let bits = token.bits();
            assert!(bits >> 47 != 0 && bits >> 47 != 0x1ffff, "{bits:#x}");
            let read = Token::of(bits).unwrap();
            assert_eq!((read.kind, read.generation), (kind, u32::MAX));
            assert_eq!(read.place, token.place);
        }
        let local = 0;
        let stack = std::ptr::from_ref(&local);
        assert!(Token::of(stack.addr()).is_none());
    }
}
