package dev.sluice.race;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Variable handles of the models' fields. */
public final class Handles {
    private Handles() {}

    /** The field of the class that looks it up. */
    public static VarHandle of(MethodHandles.Lookup lookup, String name, Class<?> type) {
        return of(lookup, lookup.lookupClass(), name, type);
    }

    /** A field, private ones of a tested class too. */
    public static VarHandle of(
            MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(owner, lookup).findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(owner.getName() + "." + name, e);
        }
    }
}
