package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

class IpAddressTest {
    private static IpAddress address(String text) {
        IpAddress.Parsed parsed = IpAddress.parse(text);
        assertThat(parsed.error()).as(text).isNull();
        return parsed.address();
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.0.0.0",
        "10.0.0.1, 10.0.0.1",
        "255.255.255.255, 255.255.255.255",
        "::ffff:10.0.0.1, 10.0.0.1",
        "::ffff:a00:1, 10.0.0.1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:DB8::1, 2001:db8::1",
        "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "0:0:1:0:0:0:0:0, 0:0:1::",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    })
    void text_is_read_in_every_form_and_printed_in_one(String text, String canonical) {
        assertThat(address(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {
                "'' | column 1: number from 0 to 255 expected",
                "10.0.0 | column 7: '.' expected",
                "10.0.0.256 | column 8: number above 255",
                "10.0.0.01 | column 8: number with a leading zero",
                "10.0.0.1.2 | column 9: end of address expected",
                "10.0.0.x | column 8: number from 0 to 255 expected",
                "1:2:3 | column 6: eight groups expected, found 3",
                "1:2:3:4:5:6:7:8:9 | column 17: end of address expected",
                "1::2::3 | column 5: second '::'",
                "1:2:3:4::5:6:7:8 | column 17: '::' beside eight groups",
                "12345:: | column 5: ':' expected",
                "fe80::1%eth0 | column 8: ':' expected",
                ": | column 1: group of one to four hexadecimal digits expected",
                "1: | column 3: group expected",
                "::1.2.3 | column 8: '.' expected",
                "1:2:3:4:5:6:7:1.2.3.4 | column 15: IPv4 part does not fit",
            })
    void what_is_no_address_is_told_with_the_column(String text, String error) {
        IpAddress.Parsed parsed = IpAddress.parse(text);
        assertThat(parsed.isValid()).isFalse();
        assertThat(parsed.error()).startsWith(error);
    }

    @Test
    void every_printed_address_reads_back_as_itself() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 20_000; i++) {
            // Zero out random groups, so that every shape of "::" occurs.
            long mask = 0;
            for (int group = 0; group < 4; group++) {
                mask = mask << 16 | (random.nextBoolean() ? 0xffff : 0);
            }
            IpAddress address = new IpAddress(random.nextLong() & mask, random.nextLong() & ~mask);
            assertThat(address(address.toString())).isEqualTo(address);
        }
    }

    @Test
    void random_text_is_refused_or_read_but_never_throws() {
        SplittableRandom random = new SplittableRandom(3);
        String alphabet = "0123456789abcdefABCDEF:::...%/ gx";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(24); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            IpAddress.Parsed parsed = IpAddress.parse(text);
            assertThat(parsed.isValid()).isEqualTo(parsed.error() == null);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // address, IPv4, multicast, unspecified, loopback, broadcast, link-local, reserved
        "10.0.0.1,        1, 0, 0, 0, 0, 0, 0",
        "0.0.0.0,         1, 0, 1, 0, 0, 0, 0",
        "127.0.0.1,       1, 0, 0, 1, 0, 0, 0",
        "127.255.0.1,     1, 0, 0, 1, 0, 0, 0",
        "224.0.0.1,       1, 1, 0, 0, 0, 0, 0",
        "239.255.255.255, 1, 1, 0, 0, 0, 0, 0",
        "240.0.0.1,       1, 0, 0, 0, 0, 0, 1",
        "255.255.255.255, 1, 0, 0, 0, 1, 0, 1",
        "169.254.1.1,     1, 0, 0, 0, 0, 1, 0",
        "::,              0, 0, 1, 0, 0, 0, 0",
        "::1,             0, 0, 0, 1, 0, 0, 0",
        "::2,             0, 0, 0, 0, 0, 0, 0",
        "ff02::1,         0, 1, 0, 0, 0, 0, 0",
        "fe80::1,         0, 0, 0, 0, 0, 1, 0",
        "febf::1,         0, 0, 0, 0, 0, 1, 0",
        "fec0::1,         0, 0, 0, 0, 0, 0, 0",
        "2001:db8::1,     0, 0, 0, 0, 0, 0, 0",
    })
    void kinds_of_addresses(
            String text,
            int ipv4,
            int multicast,
            int unspecified,
            int loopback,
            int broadcast,
            int linkLocal,
            int reserved) {
        IpAddress address = address(text);
        assertThat(address.isIpv4()).isEqualTo(ipv4 == 1);
        assertThat(address.isMulticast()).isEqualTo(multicast == 1);
        assertThat(address.isUnspecified()).isEqualTo(unspecified == 1);
        assertThat(address.isLoopback()).isEqualTo(loopback == 1);
        assertThat(IpAddress.isBroadcast(address.hi(), address.lo())).isEqualTo(broadcast == 1);
        assertThat(address.isLinkLocal()).isEqualTo(linkLocal == 1);
        assertThat(IpAddress.isReserved(address.hi(), address.lo())).isEqualTo(reserved == 1);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 10.1.0.0, 16, true",
        "10.1.2.3, 10.2.0.0, 16, false",
        "10.1.2.3, 10.1.2.3, 32, true",
        "10.1.2.3, 10.1.2.2, 32, false",
        "10.1.2.3, 0.0.0.0, 0, true",
        "2001:db8::1, ::, 0, true",
        "10.1.2.3, ::, 0, false",
        "2001:db8::1, 0.0.0.0, 0, false",
        "2001:db8::1, 2001:db8::, 32, true",
        "2001:db9::1, 2001:db8::, 32, false",
        "2001:db8::1, 2001:db8::, 64, true",
        "2001:db8:0:1::1, 2001:db8::, 64, false",
        "2001:db8::1, 2001:db8::, 127, true",
        "2001:db8::1, 2001:db8::, 128, false",
    })
    void prefixes_match_within_their_family(
            String text, String prefix, int length, boolean inside) {
        IpAddress address = address(text);
        IpAddress network = address(prefix);
        assertThat(
                        IpAddress.inPrefix(
                                address.hi(), address.lo(), network.hi(), network.lo(), length))
                .isEqualTo(inside);
    }
}
