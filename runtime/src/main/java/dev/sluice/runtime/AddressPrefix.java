package dev.sluice.runtime;

import dev.sluice.wire.IpAddress;

/**
 * An address and the network it is in, as in {@code 10.9.0.1/24}.
 *
 * @param length of the network prefix, bits of the address's own family
 */
public record AddressPrefix(IpAddress address, int length) {
    private static final int DEFAULT_IPV4 = 24;
    private static final int DEFAULT_IPV6 = 64;

    /**
     * Reads {@code ADDRESS/BITS}, or {@code ADDRESS} alone with the prefix that is usual: 24 bits
     * for IPv4, 64 for IPv6.
     *
     * @throws IllegalArgumentException with a sentence if it is none
     */
    public static AddressPrefix parse(String text) {
        int slash = text.indexOf('/');
        IpAddress.Parsed parsed = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
        if (!parsed.isValid()) {
            throw new IllegalArgumentException("\"" + text + "\" is no address: " + parsed.error());
        }
        boolean ipv4 = parsed.address().isIpv4();
        if (slash < 0) {
            return new AddressPrefix(parsed.address(), ipv4 ? DEFAULT_IPV4 : DEFAULT_IPV6);
        }
        int bits = ipv4 ? 32 : 128;
        String digits = text.substring(slash + 1);
        int length = digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
        if (length < 0 || length > bits) {
            throw new IllegalArgumentException(
                    "\"%s\": the prefix of such an address has 0 to %d bits".formatted(text, bits));
        }
        return new AddressPrefix(parsed.address(), length);
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
