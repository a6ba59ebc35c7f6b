package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

class ScriptParserTest {
    private static Script parse(String text) {
        return ScriptParser.parse("t.pkt", text, Map.of());
    }

    private static Step only(String text) {
        Script script = parse(text);
        assertThat(script.steps()).hasSize(1);
        return script.steps().getFirst();
    }

    private static PacketSpec.Tcp segment(String text) {
        return switch (only("0 " + text)) {
            case Step.Inject inject -> (PacketSpec.Tcp) inject.packet();
            case Step.Expect expect -> (PacketSpec.Tcp) expect.packet();
            default -> throw new AssertionError("not a packet");
        };
    }

    private static Step.Call call(String text) {
        return (Step.Call) only("0 " + text);
    }

    @Test
    void a_script_is_options_init_events_and_cleanup() {
        Script script =
                parse(
                        """
                        --tolerance_usecs=7000  // a remark
                        --strict_segments
                        /* two
                           lines */
                        `defaults.sh`
                        0 close(3) = 0
                        +.1 close(4) = 0
                        `cleanup`
                        """);

        assertThat(script.options())
                .extracting(Script.Option::name, Script.Option::value)
                .containsExactly(tuple("tolerance_usecs", "7000"), tuple("strict_segments", ""));
        assertThat(script.init().orElseThrow().text()).isEqualTo("defaults.sh");
        assertThat(script.steps()).hasSize(2);
        assertThat(script.cleanup().orElseThrow().text()).isEqualTo("cleanup");
    }

    @Test
    void line_ends_carry_no_meaning() {
        assertThat(parse("0 close(3)\n = \n 0 +\n1 close(4) = 0").steps()).hasSize(2);
        assertThat(parse("0 close(3) = 0 0.5 close(4) = 0 +1 close(5) = 0").steps()).hasSize(3);
    }

    @Test
    void every_form_of_time_is_understood() {
        assertThat(only("1.25 > . 1:1(0)").time()).isEqualTo(new TimeSpec.Absolute(1_250_000_000L));
        assertThat(only("+.001 > . 1:1(0)").time()).isEqualTo(new TimeSpec.Relative(1_000_000L));
        assertThat(only("1~2.5 > . 1:1(0)").time())
                .isEqualTo(new TimeSpec.AbsoluteRange(1_000_000_000L, 2_500_000_000L));
        assertThat(only("+.2~+.3 > . 1:1(0)").time())
                .isEqualTo(new TimeSpec.RelativeRange(200_000_000L, 300_000_000L));
        assertThat(only("* > . 1:1(0)").time()).isEqualTo(new TimeSpec.AnyTime());
    }

    @Test
    void a_blocking_call_has_the_time_of_its_return() {
        Step.Call relative = (Step.Call) only("+0.1...0.25 read(3, ..., 10) = 10");
        Step.Call absolute = (Step.Call) only("1...2 accept(3, ..., ...) = 4");
        Step.Call short_ = (Step.Call) only("+0....5 accept(3, ..., ...) = 4");

        assertThat(relative.time()).isEqualTo(new TimeSpec.Relative(100_000_000L));
        assertThat(relative.blockingEndNanos()).hasValue(250_000_000L);
        assertThat(absolute.time()).isEqualTo(new TimeSpec.Absolute(1_000_000_000L));
        assertThat(absolute.blockingEndNanos()).hasValue(2_000_000_000L);
        assertThat(short_.blockingEndNanos()).hasValue(500_000_000L);
    }

    @Test
    void a_segment_has_flags_numbers_window_and_options() {
        PacketSpec.Tcp segment = segment("< S. 0:3(3) ack 1 win 32792 urg 2 <mss 1000,nop>");

        assertThat(segment.flags()).isEqualTo(TcpFlags.SYN | TcpFlags.ACK);
        assertThat(segment.sequence()).isEqualTo(new PacketSpec.Sequence(0, 3, 3, false, false));
        assertThat(segment.ack()).isEqualTo(OptionalLong.of(1));
        assertThat(segment.window()).isEqualTo(OptionalInt.of(32792));
        assertThat(segment.urgent()).isEqualTo(OptionalInt.of(2));
        assertThat(segment.options().orElseThrow())
                .containsExactly(new OptionSpec.MaximumSegmentSize(1000), new OptionSpec.Nop());
    }

    @Test
    void what_is_not_written_of_a_segment_is_absent() {
        PacketSpec.Tcp segment = segment("> . 1:1(0)");

        assertThat(segment.ack()).isEmpty();
        assertThat(segment.window()).isEmpty();
        assertThat(segment.urgent()).isEmpty();
        assertThat(segment.options()).hasValue(List.of());
        assertThat(segment("> . 1:1(0) <...>").options()).isEmpty();
    }

    @Test
    void flags_are_letters_points_and_counts_in_any_order() {
        assertThat(segment("> - 1:1(0)").flags()).isZero();
        assertThat(segment("> FSRPUEWA. 1:1(0)").flags()).isEqualTo(0x1ff);
        assertThat(segment("> P.5 1:1(0)").flags())
                .isEqualTo(TcpFlags.PSH | TcpFlags.ACK | TcpFlags.AE | TcpFlags.ECE);
        assertThat(segment("> .5 1:1(0)").flags())
                .isEqualTo(segment("> 5. 1:1(0)").flags())
                .isEqualTo(TcpFlags.ACK | TcpFlags.AE | TcpFlags.ECE);
        assertThat(segment("> .0 1:1(0)").flags()).isEqualTo(TcpFlags.ACK);
        assertThat(segment("> SEWA 0:0(0)").flags())
                .isEqualTo(TcpFlags.SYN | TcpFlags.ECE | TcpFlags.CWR | TcpFlags.AE);
    }

    @Test
    void every_option_is_understood() {
        List<OptionSpec> options =
                segment(
                                "< S 0:0(0) win 1 <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 7,"
                                        + " FO,FO 0a1b,FOEXP 31,sack 1:2 5:6,eol,md5 0a0b,"
                                        + " ECN e0b 1 ceb 2 e1b 3, ECN e1b 4>")
                        .options()
                        .orElseThrow();

        assertThat(options)
                .containsExactly(
                        new OptionSpec.MaximumSegmentSize(1460),
                        new OptionSpec.SackPermitted(),
                        new OptionSpec.Timestamps(100, 0),
                        new OptionSpec.Nop(),
                        new OptionSpec.WindowScale(7),
                        new OptionSpec.FastOpen(false, ""),
                        new OptionSpec.FastOpen(false, "0a1b"),
                        new OptionSpec.FastOpen(true, "31"),
                        new OptionSpec.Sack(
                                List.of(new OptionSpec.Block(1, 2), new OptionSpec.Block(5, 6))),
                        new OptionSpec.EndOfList(),
                        new OptionSpec.Md5("0a0b"),
                        new OptionSpec.AccurateEcn(true, List.of(1, 2, 3)),
                        new OptionSpec.AccurateEcn(false, List.of(4)));
    }

    @Test
    void ip_fields_may_be_in_either_bracket() {
        PacketSpec.IpFields ecn = segment("> [ect01] . 1:1(0)").envelope().ip();
        PacketSpec.IpFields tos = segment("> (tos 0x1c, flowlabel 0xabc) . 1:1(0)").envelope().ip();
        PacketSpec.IpFields ttl = segment("< [ttl 63] . 1:1(0) win 1").envelope().ip();

        assertThat(ecn.ecn()).hasValue(PacketSpec.Ecn.ANY_ECT);
        assertThat(tos.trafficClass()).hasValue(0x1c);
        assertThat(tos.flowLabel()).hasValue(0xabc);
        assertThat(ttl.hopLimit()).hasValue(63);
    }

    @Test
    void a_segment_may_have_ports_and_encapsulation() {
        PacketSpec.Tcp psp = segment("> encap psp spi 7 . 1:1(0) ack 1");
        PacketSpec.Tcp ports = segment("< 80 > 4242 . 1:1(0) win 5");
        PacketSpec.Tcp udp = segment("> . 1:1(0) <nop>/udp(9811 > 1)");
        PacketSpec.Tcp outer =
                segment("< ipv4 192.0.2.1 > 192.0.2.2: gre: mpls (label 0): . 1:1(0) win 5");

        assertThat(psp.envelope().pspSpi()).hasValue(7);
        assertThat(ports.ports()).hasValue(new PacketSpec.Ports(80, 4242));
        assertThat(udp.udpEncapsulation()).hasValue(new PacketSpec.Ports(9811, 1));
        assertThat(outer.envelope().outer())
                .extracting(PacketSpec.OuterHeader::kind)
                .containsExactly("ip", "gre", "mpls");
    }

    @Test
    void numbers_may_be_open_or_absolute() {
        assertThat(segment("> . ...(10)").sequence())
                .isEqualTo(new PacketSpec.Sequence(0, 0, 10, true, false));
        assertThat(segment("> R. 7:7(0)! ack 1").sequence().absolute()).isTrue();
        assertThat(segment("> . 4294967295:4(5)").sequence().length()).isEqualTo(5);
    }

    @Test
    void icmp_messages_quote_a_packet() {
        Step.Inject inject =
                (Step.Inject) only("0 < icmp unreachable frag_needed mtu 1200 [1:1461(1460)]");
        PacketSpec.Icmp icmp = (PacketSpec.Icmp) inject.packet();

        assertThat(icmp.type()).isEqualTo("unreachable");
        assertThat(icmp.code()).hasValue("frag_needed");
        assertThat(icmp.mtu()).hasValue(1200);
        assertThat(icmp.echoed())
                .hasValue(
                        new PacketSpec.Echoed.TcpSegment(
                                new PacketSpec.Sequence(1, 1461, 1460, false, false),
                                Optional.empty()));
        PacketSpec.Icmp echo =
                (PacketSpec.Icmp) ((Step.Inject) only("0 < icmp echo_request id 9")).packet();
        assertThat(echo.id()).hasValue(9);
        assertThat(echo.echoed()).isEmpty();
        PacketSpec.Icmp raw =
                (PacketSpec.Icmp) ((Step.Inject) only("0 < icmp unreachable [raw(8)]")).packet();
        assertThat(raw.echoed()).hasValue(new PacketSpec.Echoed.Raw(8));
    }

    @Test
    void udp_datagrams_have_a_length() {
        PacketSpec.Udp udp = (PacketSpec.Udp) ((Step.Expect) only("0 > udp (12)")).packet();

        assertThat(udp.length()).isEqualTo(12);
    }

    @Test
    void calls_have_arguments_a_result_an_errno_and_a_note() {
        Step.Call call = call("connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)");

        assertThat(call.name()).isEqualTo("connect");
        assertThat(call.arguments()).hasSize(3);
        assertThat(call.result()).hasToString("-1");
        assertThat(call.errno()).hasValue("EINPROGRESS");
        assertThat(call("fcntl(4, F_GETFL) = 0x2 (flags O_RDWR)").errno()).isEmpty();
        assertThat(call("time() = ...").result()).isInstanceOf(Expression.Any.class);
    }

    @Test
    void every_kind_of_expression_is_understood() {
        assertThat(call("f(-1, 0xff, A|B | C, \"a\" \"b\", \"x\"..., [], [1, 2]) = 0").arguments())
                .extracting(Object::toString)
                .containsExactly("-1", "0xff", "A|B|C", "\"ab\"", "\"x\"...", "[]", "[1, 2]");
        assertThat(
                        call("f({sa_family=AF_INET, sin_port=htons(80), "
                                        + "sin_addr=inet_addr(\"192.0.2.1\")}) = 0")
                                .arguments()
                                .getFirst())
                .hasToString(
                        "{sa_family=AF_INET, sin_port=htons(80),"
                                + " sin_addr=inet_addr(\"192.0.2.1\")}");
        assertThat(
                        call("sendmsg(4, {msg_name(...)=..., msg_iov(2)=[{..., 10}, {..., 20}],"
                                        + " msg_flags=0}, 0) = 30")
                                .arguments()
                                .get(1))
                .hasToString("{msg_name(...)=..., msg_iov(2)=[{..., 10}, {..., 20}], msg_flags=0}");
        assertThat(call("poll([{fd=3, events=POLLIN|POLLOUT, revents=POLLIN}], 1, 0) = 1").name())
                .isEqualTo("poll");
        Expression.Number all =
                (Expression.Number) call("f(0xffffffffffffffff) = 0").arguments().getFirst();
        assertThat(all.value()).isEqualTo(-1);
    }

    @Test
    void definitions_replace_words() {
        Map<String, String> definitions =
                Map.of("COOKIE", "0a0b0c0d", "LEVEL", "SOL_IP", "SIZE", "1000", "RUN", "nstat");
        Script script =
                ScriptParser.parse(
                        "t.pkt",
                        """
                        --define=KIND=net_unreachable
                        0 > S 0:0(0) <mss SIZE,FO COOKIE>
                        +0 setsockopt(3, LEVEL, IP_TOS, [SIZE], 4) = 0
                        +0 < icmp unreachable KIND
                        +0 RUN
                        """,
                        definitions);

        PacketSpec.Tcp syn = (PacketSpec.Tcp) ((Step.Expect) script.steps().get(0)).packet();
        assertThat(syn.options().orElseThrow())
                .containsExactly(
                        new OptionSpec.MaximumSegmentSize(1000),
                        new OptionSpec.FastOpen(false, "0a0b0c0d"));
        assertThat(((Step.Call) script.steps().get(1)).arguments())
                .extracting(Object::toString)
                .containsExactly("3", "SOL_IP", "IP_TOS", "[1000]", "4");
        PacketSpec.Icmp icmp = (PacketSpec.Icmp) ((Step.Inject) script.steps().get(2)).packet();
        assertThat(icmp.code()).hasValue("net_unreachable");
        assertThat(((Step.Command) script.steps().get(3)).command().text()).isEqualTo("nstat");
        assertThat(script.undefinedNames()).isEmpty();
    }

    @Test
    void a_word_without_definition_is_reported_with_its_place() {
        Script script = parse("0 > S 0:0(0) <mss SIZE,nop>\n+0 > S 0:0(0) <FO COOKIE>");

        assertThat(script.undefinedNames())
                .containsExactly(
                        new Script.UndefinedName(new Position("t.pkt", 1, 19), "SIZE"),
                        new Script.UndefinedName(new Position("t.pkt", 2, 19), "COOKIE"));
    }

    @Test
    void conditional_lines_keep_positions() {
        String text =
                """
                #ifdef THIS
                0 close(3) = 0
                #else
                0 close(4) = 0
                #endif
                +1 close(5) = 0
                """;

        List<Step> with = ScriptParser.parse("t", text, Map.of("THIS", "1")).steps();
        List<Step> without = ScriptParser.parse("t", text, Map.of()).steps();

        assertThat(with).extracting(step -> step.position().line()).containsExactly(2, 6);
        assertThat(without).extracting(step -> step.position().line()).containsExactly(4, 6);
    }

    @Test
    void commands_and_code_keep_their_text_and_place() {
        Script script = parse("0 `sysctl -q a=1\n b=2`\n+0 %{\nassert x == 1 # why }\n}%");

        Step.Command command = (Step.Command) script.steps().get(0);
        Step.Code code = (Step.Code) script.steps().get(1);
        assertThat(command.command().text()).isEqualTo("sysctl -q a=1\n b=2");
        assertThat(command.command().position()).isEqualTo(new Position("t.pkt", 1, 4));
        assertThat(code.code().text()).isEqualTo("\nassert x == 1 # why }\n");
        assertThat(code.code().position()).isEqualTo(new Position("t.pkt", 3, 6));
    }

    @Test
    void every_step_knows_its_line() {
        assertThat(parse("0 close(3) = 0\n\n  +1 < . 1:1(0) win 5\n").steps())
                .extracting(Step::position)
                .containsExactly(new Position("t.pkt", 1, 1), new Position("t.pkt", 3, 3));
    }
}
