package dev.sluice.verify.bad.doctor;

import dev.sluice.verify.bad.runtime.ffi.Native;

import java.lang.foreign.Linker;

/** Links natively, and calls what only devices may call. */
public final class Linking {
    Object link() {
        return new Native().errno() == 0 ? Linker.nativeLinker() : null;
    }
}
