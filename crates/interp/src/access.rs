//! Memory operations of the plain evaluator. A memory operation is run by its step, which reads its operands and writes its
//! result at places that a request names: here these are constants and temporaries of the wave.

use wavetank_ir::{LANES, MemKind, MemOp, Space, Value};
use wavetank_lane_ops::{Ctx, Next, Simd, Step, Val, memory_step};
use wavetank_lower::{addresses, descriptor, returns};
use wavetank_machine::Leave;
use wavetank_memory::{
    Context, MemoryUnit, Request, Source, Uniform, VECTOR_BYTES, VECTOR_REGISTERS, Wave,
};

/// Makes a memory access of the instruction at `pc`, whose operands `get` returns. Returns its result if that does not go to
/// registers.
///
/// # Errors
/// The wave leaves if the access is denied.
pub(crate) fn perform<'v>(
    op: &MemOp,
    pc: u64,
    get: impl Fn(Value) -> &'v Val,
    wave: &mut Wave,
    memory: &mut MemoryUnit<'_>,
) -> Result<Option<Val>, Leave> {
    let mask = op.mask.map_or(!0, |mask| get(mask).uniform());
    let mut temporaries = Temporaries::of(wave);
    let mut request = temporaries.request(op, pc, mask, get);
    let result = (op.kind == MemKind::Load && op.ret.is_none()).then(|| temporaries.next_lanes());
    if let Some(result) = result {
        request.ret = lanes_at(result);
    }
    run(&request, wave, memory)?;
    let result = result.map(|number| lanes_of(wave, number));
    let lane_of = |lanes: [u32; LANES]| {
        Val::each(true, |l| {
            if mask >> l & 1 != 0 {
                lanes[l].into()
            } else {
                0
            }
        })
    };
    Ok(result.map(lane_of))
}

/// Returns the byte offset of a lane vector in the vector file, by its number.
fn lanes_at(number: usize) -> u32 {
    (number * VECTOR_BYTES) as u32
}

/// Reads a temporary lane vector.
fn lanes_of(wave: &mut Wave, number: usize) -> [u32; LANES] {
    let (_, file) = wave.raw();
    // SAFETY: the file has temporaries after its registers, of which few are used; the step may have left lanes as they were,
    // which `grow` zeroed.
    unsafe { file.add(number * LANES).cast::<[u32; LANES]>().read() }
}

/// The temporaries of a wave: the lane vectors after its registers, and the uniform values after its state.
struct Temporaries<'w> {
    wave: &'w mut Wave,
    /// The number of lane vectors that are in use, registers included.
    lanes: usize,
    /// The number of uniform values that are in use.
    uniforms: usize,
}

impl<'w> Temporaries<'w> {
    fn of(wave: &'w mut Wave) -> Self {
        Temporaries {
            wave,
            lanes: VECTOR_REGISTERS,
            uniforms: 0,
        }
    }

    /// Returns the request of an access, with its operands in temporaries.
    fn request<'v>(
        &mut self,
        op: &MemOp,
        pc: u64,
        mask: u64,
        get: impl Fn(Value) -> &'v Val,
    ) -> Request {
        let constant = |part: Option<Value>| {
            part.map_or(Source::None, |part| Source::Const(get(part).uniform()))
        };
        let address = match &op.space {
            Space::Image(image) => &image.address[..],
            Space::Surface(element) => &element.at,
            _ => &[],
        };
        Request {
            op: op.clone(),
            pc,
            cache: (pc >> 2) as u32,
            sources: addresses(&op.space)
                .map(|value| value.map_or(Source::None, |value| self.source(get(value)))),
            descriptor: descriptor(&op.space).map(constant),
            address: offsets(address, |value| self.put_lanes(get(value))),
            mask: self.put_uniform(mask),
            data: offsets(&op.data, |value| match op.mask {
                Some(_) => self.put_lanes(get(value)),
                None => self.put_uniform(get(value).uniform()),
            }),
            ret: returns(op),
        }
    }

    /// Returns the source of a value; a uniform value is a constant.
    fn source(&mut self, value: &Val) -> Source {
        match value {
            Val::Uniform(v) => Source::Const(*v),
            Val::Lanes(_) => Source::Vector(self.put_lanes(value)),
        }
    }

    /// Puts the lanes of a value, low and high halves, into the next two lane vectors. Returns their offset.
    fn put_lanes(&mut self, value: &Val) -> u32 {
        let (low, high) = (self.next_lanes(), self.next_lanes());
        let (_, file) = self.wave.raw();
        for l in 0..LANES {
            let v = value.lane(l);
            // SAFETY: the file has temporaries after its registers, of which few are used.
            unsafe {
                file.add(low * LANES + l).write(v as u32);
                file.add(high * LANES + l).write((v >> 32) as u32);
            }
        }
        lanes_at(low)
    }

    /// Puts a value into the next uniform temporary. Returns its offset.
    fn put_uniform(&mut self, value: u64) -> u32 {
        let number = self.uniforms;
        self.uniforms += 1;
        self.wave.own_uniforms()[number] = value;
        (size_of::<Uniform>() + 8 * number) as u32
    }

    /// Allocates the next free lane vector, and returns its number.
    fn next_lanes(&mut self) -> usize {
        self.lanes += 1;
        self.lanes - 1
    }
}

/// Returns the offsets of values, and 0 for missing ones.
fn offsets<const N: usize>(values: &[Value], mut put: impl FnMut(Value) -> u32) -> [u32; N] {
    let mut offsets = [0; N];
    for (offset, value) in offsets.iter_mut().zip(values) {
        *offset = put(*value);
    }
    offsets
}

/// Runs the step of a request.
fn run(request: &Request, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Result<(), Leave> {
    let step = Step {
        run: memory_step(Simd::Baseline, &request.op, false),
        dst: 0,
        dst2: 0,
        src: [0; 3],
        mask: request.mask,
        imm: [(&raw const *request).expose_provenance() as u64, 0, 0],
        flags: 0,
    };
    let (uniform, vector) = wave.raw();
    let context = Context {
        uniform,
        vector: vector.cast(),
        memory,
    };
    let mut ctx = Ctx {
        context,
        leave: None,
    };
    // SAFETY: the wave is alive, the step is that of the operation, and its values are where the request says.
    let next = unsafe { (step.run)(&mut ctx, &step) };
    match (next, ctx.leave) {
        (Next::Leave, Some(leave)) => Err(leave),
        _ => Ok(()),
    }
}
