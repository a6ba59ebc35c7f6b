package dev.sluice.verify.architecture;

import com.tngtech.archunit.core.domain.JavaClass;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** What ArchUnit's model of a class leaves out: single instructions. */
final class Bytecode {
    private static final Map<JavaClass, ClassModel> MODELS = new ConcurrentHashMap<>();

    private Bytecode() {}

    /** Methods that enter a monitor, by name. */
    static List<String> monitors(JavaClass c) {
        return methodsWith(
                c, e -> e instanceof MonitorInstruction m && m.opcode() == Opcode.MONITORENTER);
    }

    /** Methods that compute with {@code float} or {@code double}, by name. */
    static List<String> floatingPoint(JavaClass c) {
        return methodsWith(c, Bytecode::isFloating);
    }

    private static boolean isFloating(CodeElement e) {
        return switch (e) {
            case OperatorInstruction i -> isFloating(i.typeKind());
            case ConvertInstruction i -> isFloating(i.toType()) || isFloating(i.fromType());
            case LoadInstruction i -> isFloating(i.typeKind());
            default -> false;
        };
    }

    private static boolean isFloating(TypeKind kind) {
        return kind == TypeKind.FLOAT || kind == TypeKind.DOUBLE;
    }

    /** Interfaces implemented by the lambdas and method references of the class, one entry each. */
    static List<String> lambdaInterfaces(JavaClass c) {
        List<String> interfaces = new ArrayList<>();
        for (MethodModel method : model(c).methods()) {
            method.code()
                    .ifPresent(
                            code ->
                                    code.forEach(
                                            e -> {
                                                if (e instanceof InvokeDynamicInstruction i) {
                                                    interfaces.add(typeName(i));
                                                }
                                            }));
        }
        return interfaces;
    }

    private static String typeName(InvokeDynamicInstruction i) {
        String descriptor = i.typeSymbol().returnType().descriptorString();
        return descriptor.startsWith("L")
                ? descriptor.substring(1, descriptor.length() - 1).replace('/', '.')
                : descriptor;
    }

    private static List<String> methodsWith(JavaClass c, Predicate<CodeElement> wanted) {
        List<String> methods = new ArrayList<>();
        for (MethodModel method : model(c).methods()) {
            boolean found =
                    method.code().stream()
                            .flatMap(code -> code.elementStream())
                            .anyMatch(e -> e instanceof Instruction && wanted.test(e));
            if (found) {
                methods.add(method.methodName().stringValue());
            }
        }
        return methods;
    }

    private static ClassModel model(JavaClass c) {
        return MODELS.computeIfAbsent(
                c,
                key -> {
                    var source = key.getSource().orElseThrow();
                    try (InputStream in = source.getUri().toURL().openStream()) {
                        return ClassFile.of().parse(in.readAllBytes());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }
}
