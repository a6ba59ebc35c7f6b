/**
 * Speaks the language of packetdrill: parses its scripts and runs them against a stack in virtual
 * time.
 *
 * <p>{@code ScriptParser} makes a {@code Script} of sealed {@code Step}s. Shell commands become
 * {@code ShellEffect}s and are never executed; code blocks are evaluated here. What the interpreter
 * does not do is an {@code UnsupportedScriptException} with its place, never passed over.
 */
package dev.sluice.lab.packetdrill;
