/**
 * The system calls of Linux that the live face needs, one class per facility. Addresses of memory
 * are passed as numbers: whoever calls keeps the memory alive. A call that fails throws {@link
 * dev.sluice.runtime.ffi.NativeException} with the {@code errno} captured right after it.
 */
package dev.sluice.runtime.ffi;
