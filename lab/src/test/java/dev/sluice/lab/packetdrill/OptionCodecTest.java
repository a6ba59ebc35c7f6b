package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HexFormat;
import java.util.List;

class OptionCodecTest {
    private static List<OptionSpec> options(String text) {
        return SegmentMatcherTest.expected("> . 1:1(0) <" + text + ">").options().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            textBlock =
                    """
                    nop,nop,eol,eol;01010000
                    mss 1460;020405b4
                    nop,wscale 7;01030307
                    nop,nop,sackOK;01010402
                    nop,nop,sack 1:2 4294967295:3;01010512 0000000100000002 ffffffff00000003
                    nop,nop,TS val 1 ecr 4294967295;0101080a 00000001ffffffff
                    FO 0a0b;22040a0b
                    nop,nop,FO;01012202
                    FOEXP;fe04f989
                    nop,nop,FOEXP 0a0b;0101 fe06f9890a0b
                    nop,nop,md5 000102030405060708090a0b0c0d0e0f;01011312000102030405060708090a0b0c0d0e0f
                    nop,ECN e0b 1 ceb 2 e1b 3;01ac0b000001000002000003
                    nop,nop,nop,ECN e1b 10;010101ae0500000a
                    """)
    void options_become_bytes_and_options_again(String text, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

        assertThat(OptionCodec.decode(bytes)).isEqualTo(options(text));
        assertThat(OptionCodec.encode(options(text)))
                .startsWith(bytes)
                .hasSize((bytes.length + 3) / 4 * 4);
    }

    @Test
    void malformed_options_are_kept_as_bytes() {
        assertThat(OptionCodec.decode(new byte[] {2, 3, 5}))
                .containsExactly(new OptionSpec.Unknown(2, new byte[] {5}));
        assertThat(OptionCodec.decode(new byte[] {1, 8, 10, 0}))
                .containsExactly(
                        new OptionSpec.Nop(), new OptionSpec.Unknown(8, new byte[] {10, 0}));
        assertThat(OptionCodec.decode(new byte[] {77, 2}))
                .containsExactly(new OptionSpec.Unknown(77, new byte[0]));
        assertThat(OptionCodec.decode(new byte[] {5, 0}))
                .containsExactly(new OptionSpec.Unknown(5, new byte[] {0}));
    }

    @Test
    void more_than_forty_bytes_do_not_fit() {
        assertThatThrownBy(() -> OptionCodec.encode(options("sack 1:2 3:4 5:6 7:8,sack 9:10")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("44");
    }
}
