//! The header's numbers, as LLVM's assembler writes them.

use std::process::Command;

use wavetank_link::{Identity, Os};

use crate::common::run;

/// `e_ident[7]`, `e_ident[8]` and `e_flags` of an empty source's object file, or `None` where there is no `llvm-mc-14`.
fn of_llvm(triple: &str, chip: &str, features: &str, version: u8) -> Option<Identity> {
    let mut command = Command::new("llvm-mc-14");
    command.args(["--filetype=obj", "-triple", triple, "-mcpu", chip]);
    command.arg(format!("-mattr={features}"));
    command.arg(format!("--amdhsa-code-object-version={version}"));
    let file = run(&mut command, b"s_endpgm\n")?;
    Some(Identity {
        os_abi: file[7],
        abi_version: file[8],
        flags: u32::from_le_bytes(file[48..52].try_into().expect("four bytes")),
    })
}

#[test]
fn identities_are_those_of_llvm() {
    let chips = [
        "gfx600", "gfx701", "gfx803", "gfx900", "gfx906", "gfx90a", "gfx90c", "gfx1030",
    ];
    let features = [("", ""), (":xnack+", "+xnack"), (":xnack-", "-xnack")];
    for chip in chips {
        for (suffix, features) in features {
            let target = format!("{chip}{suffix}").parse().expect("a target");
            for (os, triple, versions) in [
                (Os::Hsa, "amdgcn-amd-amdhsa", 3..6),
                (Os::Pal, "amdgcn-amd-amdpal", 3..4),
                (Os::Mesa3d, "amdgcn-mesa-mesa3d", 3..4),
                (Os::None, "amdgcn--", 3..4),
            ] {
                for version in versions {
                    let Some(expected) = of_llvm(triple, chip, features, version) else {
                        return;
                    };
                    let ours = Identity::of(&target, os, version).expect("an identity");
                    assert_eq!(ours, expected, "{target} {triple} {version}");
                }
            }
        }
    }
}
