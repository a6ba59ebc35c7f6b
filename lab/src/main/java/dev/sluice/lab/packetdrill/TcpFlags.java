package dev.sluice.lab.packetdrill;

/** The nine flag bits of a TCP header and their letters in scripts. */
public final class TcpFlags {
    public static final int FIN = 0x001;
    public static final int SYN = 0x002;
    public static final int RST = 0x004;
    public static final int PSH = 0x008;
    public static final int ACK = 0x010;
    public static final int URG = 0x020;
    public static final int ECE = 0x040;
    public static final int CWR = 0x080;

    /** Accurate ECN, the bit that was NS (RFC 9768). */
    public static final int AE = 0x100;

    /** Lowest bit of the three-bit ACE field, which is AE, CWR, ECE. */
    private static final int ACE_SHIFT = 6;

    private static final String LETTERS = "FSRP.UEWA";

    private TcpFlags() {}

    /** The bit of a flag letter, or 0 if it is none. */
    static int bitOf(char letter) {
        int index = LETTERS.indexOf(letter);
        return index < 0 ? 0 : 1 << index;
    }

    /** The bits of an ACE count of 0 to 7. */
    static int ofAce(int count) {
        return count << ACE_SHIFT;
    }

    /**
     * Letters of the flags in the order scripts write them: {@code SFRP.UEWA}; {@code -} for none.
     */
    public static String format(int bits) {
        if (bits == 0) {
            return "-";
        }
        StringBuilder text = new StringBuilder();
        append(text, bits, SYN, 'S');
        append(text, bits, FIN, 'F');
        append(text, bits, RST, 'R');
        append(text, bits, PSH, 'P');
        append(text, bits, URG, 'U');
        append(text, bits, ECE, 'E');
        append(text, bits, CWR, 'W');
        append(text, bits, AE, 'A');
        append(text, bits, ACK, '.');
        return text.toString();
    }

    private static void append(StringBuilder text, int bits, int bit, char letter) {
        if ((bits & bit) != 0) {
            text.append(letter);
        }
    }
}
