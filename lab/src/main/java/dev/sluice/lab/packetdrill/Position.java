package dev.sluice.lab.packetdrill;

import java.io.Serializable;

/**
 * A place in a script.
 *
 * @param file name of the script as the user gave it
 * @param line line number, from 1
 * @param column column number in characters, from 1; a tab counts as one
 */
public record Position(String file, int line, int column) implements Serializable {
    /** {@code file:line:column}, the form compilers use and editors understand. */
    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
