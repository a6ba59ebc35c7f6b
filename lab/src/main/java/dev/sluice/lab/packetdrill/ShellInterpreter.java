package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Understands the shell commands of scripts without running any: each becomes a {@link
 * ShellEffect}. A command it does not know becomes {@link ShellEffect.Unsupported} and is never
 * passed over.
 */
public final class ShellInterpreter {
    private static final String PROC_SYS = "/proc/sys/";
    private static final String SYS_MODULE = "/sys/module/";

    private ShellInterpreter() {}

    /** The effects of a command, in order. */
    public static List<ShellEffect> interpret(Step.ShellText shell) {
        List<ShellEffect> effects = new ArrayList<>();
        List<ShellEffect> previous = new ArrayList<>();
        for (ShellParser.Pipeline pipeline : ShellParser.parse(shell)) {
            List<ShellEffect> current = pipeline(pipeline);
            if (pipeline.connector() == ShellParser.Connector.OR_ELSE) {
                Position position = effects.get(effects.size() - previous.size()).position();
                for (int i = 0; i < previous.size(); i++) {
                    effects.removeLast();
                }
                current = List.of(new ShellEffect.OrElse(position, previous, current));
            }
            effects.addAll(current);
            previous = current;
        }
        return effects;
    }

    private static List<ShellEffect> pipeline(ShellParser.Pipeline pipeline) {
        List<ShellParser.SimpleCommand> commands = pipeline.commands();
        List<String> words = commands.getFirst().words();
        Position at = pipeline.position();
        String program = words.getFirst();
        String name = program.substring(program.lastIndexOf('/') + 1);
        List<ShellEffect> effects =
                switch (name) {
                    case "defaults.sh" -> List.of(new ShellEffect.LoadDefaults(at));
                    case "sysctl", "set_sysctls.py" -> sysctls(at, pipeline.text(), words);
                    case "nstat" -> counters(at, pipeline);
                    case "tc" -> qdisc(at, pipeline.text(), words);
                    case "ip" -> ip(at, pipeline.text(), words);
                    case "ethtool" -> offloads(at, pipeline.text(), words);
                    case "dd", "rm" -> files(at, pipeline.text(), name, words);
                    case "echo" -> moduleParameter(at, pipeline);
                    case "grep" -> listeningSockets(at, pipeline);
                    case "sockstat" -> socketCount(at, pipeline);
                    case "tcpdrop" -> dropConnections(at, pipeline.text(), words);
                    default ->
                            name.startsWith("sysctl_restore")
                                    ? List.of(new ShellEffect.RestoreSysctls(at))
                                    : unsupported(at, pipeline.text(), "");
                };
        boolean readsOther = commands.size() > 1 && !readsPipes(name);
        return readsOther ? unsupported(at, pipeline.text(), "pipe after " + name) : effects;
    }

    private static boolean readsPipes(String name) {
        return name.equals("nstat") || name.equals("grep") || name.equals("sockstat");
    }

    private static List<ShellEffect> unsupported(Position at, String text, String reason) {
        Optional<String> why = reason.isEmpty() ? Optional.empty() : Optional.of(reason);
        return List.of(new ShellEffect.Unsupported(at, text, why));
    }

    private static List<ShellEffect> sysctls(Position at, String text, List<String> words) {
        List<ShellEffect> effects = new ArrayList<>();
        for (String word : words.subList(1, words.size())) {
            int equals = word.indexOf('=');
            if (word.startsWith("-")) {
                continue;
            }
            if (equals <= 0) {
                return unsupported(at, text, "'" + word + "' is not name=value");
            }
            String name = word.substring(0, equals);
            if (name.startsWith(PROC_SYS)) {
                name = name.substring(PROC_SYS.length());
            }
            effects.add(
                    new ShellEffect.SetSysctl(
                            at, name.replace('/', '.'), word.substring(equals + 1).strip()));
        }
        return effects.isEmpty() ? unsupported(at, text, "nothing to set") : effects;
    }

    private static List<ShellEffect> counters(Position at, ShellParser.Pipeline pipeline) {
        List<ShellParser.SimpleCommand> commands = pipeline.commands();
        List<String> nstat = commands.getFirst().words();
        List<String> names = new ArrayList<>();
        boolean absolute = false;
        for (String word : nstat.subList(1, nstat.size())) {
            if (word.startsWith("-")) {
                absolute |= word.contains("a");
            } else {
                names.add(word);
            }
        }
        if (absolute) {
            return unsupported(at, pipeline.text(), "absolute counters");
        }
        if (commands.size() == 1) {
            return List.of(new ShellEffect.ResetCounters(at));
        }
        OptionalLong value = OptionalLong.empty();
        for (ShellParser.SimpleCommand command : commands.subList(1, commands.size())) {
            String pattern = grepPattern(command);
            if (pattern == null) {
                return unsupported(at, pipeline.text(), "only grep may read nstat");
            }
            long number = Cursor.parseUnsigned(pattern.strip());
            if (number >= 0) {
                value = OptionalLong.of(number);
            } else {
                names.add(pattern.strip());
            }
        }
        return names.size() == 1
                ? List.of(new ShellEffect.ExpectCounter(at, names.getFirst(), value))
                : unsupported(at, pipeline.text(), "one counter at a time");
    }

    /** The one pattern of a plain grep, or null if the command is anything else. */
    private static String grepPattern(ShellParser.SimpleCommand command) {
        List<String> words = command.words();
        if (!words.getFirst().equals("grep")) {
            return null;
        }
        String pattern = null;
        for (String word : words.subList(1, words.size())) {
            if (word.equals("-q") || word.equals("-c")) {
                continue;
            }
            if (pattern != null || word.startsWith("-")) {
                return null;
            }
            pattern = word;
        }
        return pattern;
    }

    private static List<ShellEffect> qdisc(Position at, String text, List<String> words) {
        if (words.size() < 6 || !words.get(1).equals("qdisc") || !words.get(5).equals("root")) {
            return unsupported(at, text, "");
        }
        if (words.get(2).startsWith("del")) {
            return List.of(
                    new ShellEffect.SetQdisc(at, ShellEffect.Discipline.FIFO, OptionalInt.empty()));
        }
        OptionalInt limit = valueAfter(words, "limit");
        String kind = words.size() > 6 ? words.get(6) : "";
        return switch (kind) {
            case "pfifo" ->
                    List.of(new ShellEffect.SetQdisc(at, ShellEffect.Discipline.FIFO, limit));
            case "fq" ->
                    List.of(new ShellEffect.SetQdisc(at, ShellEffect.Discipline.FAIR_QUEUE, limit));
            default -> unsupported(at, text, "queueing discipline '" + kind + "'");
        };
    }

    private static OptionalInt valueAfter(List<String> words, String key) {
        int index = words.indexOf(key);
        if (index < 0) {
            return OptionalInt.empty();
        }
        for (String word : words.subList(index + 1, words.size())) {
            long value = Cursor.parseUnsigned(word);
            if (value >= 0) {
                return OptionalInt.of((int) Math.min(value, Integer.MAX_VALUE));
            }
            if (!word.equals("lock")) {
                break;
            }
        }
        return OptionalInt.empty();
    }

    private static List<ShellEffect> ip(Position at, String text, List<String> words) {
        if (words.contains("tcp_metrics") && words.contains("flush")) {
            return List.of(new ShellEffect.FlushMetrics(at));
        }
        OptionalInt mtu = valueAfter(words, "mtu");
        if (words.contains("link") && mtu.isPresent()) {
            return List.of(new ShellEffect.SetDeviceMtu(at, mtu.getAsInt()));
        }
        boolean changes =
                words.contains("change") || words.contains("replace") || words.contains("add");
        if (!words.contains("route") || !changes) {
            return unsupported(at, text, "");
        }
        return List.of(
                new ShellEffect.SetRoute(
                        at,
                        mtu,
                        words.contains("lock"),
                        valueAfter(words, "advmss"),
                        valueAfter(words, "initcwnd")));
    }

    private static List<ShellEffect> offloads(Position at, String text, List<String> words) {
        List<ShellEffect> effects = new ArrayList<>();
        if (words.size() > 4 && words.get(1).equals("-K")) {
            for (int i = 3; i + 1 < words.size(); i += 2) {
                String state = words.get(i + 1);
                if (!state.equals("on") && !state.equals("off")) {
                    return unsupported(at, text, "'" + state + "' is neither on nor off");
                }
                effects.add(new ShellEffect.SetOffload(at, words.get(i), state.equals("on")));
            }
        }
        return effects.isEmpty() ? unsupported(at, text, "") : effects;
    }

    private static List<ShellEffect> files(
            Position at, String text, String name, List<String> words) {
        if (name.equals("rm")) {
            return List.of(new ShellEffect.RemoveFile(at, words.getLast()));
        }
        String path = "";
        long block = 512;
        long count = -1;
        for (String word : words) {
            if (word.startsWith("of=")) {
                path = word.substring("of=".length());
            } else if (word.startsWith("bs=")) {
                block = Cursor.parseUnsigned(word.substring("bs=".length()));
            } else if (word.startsWith("count=")) {
                count = Cursor.parseUnsigned(word.substring("count=".length()));
            }
        }
        boolean zeros = words.contains("if=/dev/zero");
        return path.isEmpty() || block < 0 || count < 0 || !zeros
                ? unsupported(at, text, "only dd if=/dev/zero of=… bs=… count=…")
                : List.of(new ShellEffect.CreateFile(at, path, block * count));
    }

    private static List<ShellEffect> moduleParameter(Position at, ShellParser.Pipeline pipeline) {
        ShellParser.SimpleCommand command = pipeline.commands().getFirst();
        String output = command.output();
        String[] parts =
                output.startsWith(SYS_MODULE)
                        ? output.substring(SYS_MODULE.length()).split("/")
                        : new String[0];
        if (parts.length != 3 || !parts[1].equals("parameters") || command.words().size() != 2) {
            return unsupported(at, pipeline.text(), "");
        }
        return List.of(
                new ShellEffect.SetModuleParameter(at, parts[0], parts[2], command.words().get(1)));
    }

    /** {@code grep " 0A " /proc/net/tcp … | grep ":1F90"}: a socket listens on that port. */
    private static List<ShellEffect> listeningSockets(Position at, ShellParser.Pipeline pipeline) {
        List<ShellParser.SimpleCommand> commands = pipeline.commands();
        List<String> words = commands.getFirst().words();
        String port = commands.size() == 2 ? grepPattern(commands.get(1)) : null;
        boolean listening = words.size() > 2 && words.get(1).strip().equals("0A");
        boolean table = words.getLast().startsWith("/proc/net/tcp");
        if (!listening || !table || port == null || !port.startsWith(":")) {
            return unsupported(at, pipeline.text(), "");
        }
        int number = HexFormat.fromHexDigits(port.substring(1).toLowerCase(Locale.ROOT));
        return List.of(new ShellEffect.ExpectSockets(at, "LISTEN", OptionalInt.of(number), 1));
    }

    /** {@code sockstat … | grep … | grep -c STATE | grep N}. */
    private static List<ShellEffect> socketCount(Position at, ShellParser.Pipeline pipeline) {
        List<ShellParser.SimpleCommand> commands = pipeline.commands();
        int last = commands.size() - 1;
        String count = last < 2 ? null : grepPattern(commands.get(last));
        String state = last < 2 ? null : grepPattern(commands.get(last - 1));
        if (count == null || state == null || !commands.get(last - 1).words().contains("-c")) {
            return unsupported(at, pipeline.text(), "");
        }
        long number = Cursor.parseUnsigned(count);
        if (number < 0) {
            return unsupported(at, pipeline.text(), "'" + count + "' is not a count");
        }
        OptionalInt port = valueAfter(commands.getFirst().words(), "-p");
        return List.of(new ShellEffect.ExpectSockets(at, state, port, (int) number));
    }

    private static List<ShellEffect> dropConnections(Position at, String text, List<String> words) {
        return words.size() == 3 && words.get(1).equals("-s")
                ? List.of(new ShellEffect.DropConnections(at, words.get(2)))
                : unsupported(at, text, "");
    }
}
