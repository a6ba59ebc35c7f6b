package dev.sluice.apps;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/**
 * What the applications send each other: bytes in which a lost, doubled or misplaced one is
 * noticed, and their digests.
 */
final class Content {
    private static final int BLOCK = 1 << 16;

    private Content() {}

    /** A block that {@link #write} repeats; looks random, and is always the same. */
    static byte[] block() {
        byte[] block = new byte[BLOCK];
        new Random(3096).nextBytes(block);
        return block;
    }

    /** Writes the first {@code length} bytes of the content. */
    static void write(OutputStream out, long length) throws IOException {
        byte[] block = block();
        for (long left = length; left > 0; left -= BLOCK) {
            out.write(block, 0, (int) Math.min(left, BLOCK));
        }
    }

    /** The first {@code length} bytes of the content. */
    static byte[] bytes(int length) {
        byte[] block = block();
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i += BLOCK) {
            System.arraycopy(block, 0, bytes, i, Math.min(BLOCK, length - i));
        }
        return bytes;
    }

    /** The digest of the first {@code length} bytes of the content. */
    static String expected(long length) {
        MessageDigest digest = sha256();
        byte[] block = block();
        for (long left = length; left > 0; left -= BLOCK) {
            digest.update(block, 0, (int) Math.min(left, BLOCK));
        }
        return summary(length, digest);
    }

    /** The digest of all that comes. */
    static String digest(InputStream in) throws IOException {
        MessageDigest digest = sha256();
        byte[] buffer = new byte[BLOCK];
        long length = 0;
        for (int n; (n = in.read(buffer)) >= 0; length += n) {
            digest.update(buffer, 0, n);
        }
        return summary(length, digest);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Length and digest in one string. */
    static String summary(long length, MessageDigest digest) {
        return length + " " + HexFormat.of().formatHex(digest.digest());
    }
}
