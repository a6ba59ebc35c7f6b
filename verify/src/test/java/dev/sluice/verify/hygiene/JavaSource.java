package dev.sluice.verify.hygiene;

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;

import dev.sluice.verify.Checkout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A Java source as its parser sees it, without resolving any name.
 *
 * @param file relative to the root of the checkout
 * @param lines number of lines
 * @param uncommented public or package-private top-level types without a comment, by name
 * @param catches types named in catch clauses
 * @param longestMethod the method with the most lines, or an empty string
 * @param longestMethodLines its lines, from the first modifier to the closing brace
 */
record JavaSource(
        Path file,
        long lines,
        List<String> uncommented,
        List<String> catches,
        String longestMethod,
        long longestMethodLines) {

    /** Parses files of the checkout. */
    static List<JavaSource> parse(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaSource> sources = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    manager,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    manager.getJavaFileObjectsFromPaths(files));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                sources.add(new Reader(unit, trees).read());
            }
        }
        return sources;
    }

    private static final class Reader extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final DocTrees trees;
        private final List<String> uncommented = new ArrayList<>();
        private final List<String> catches = new ArrayList<>();
        private String longestMethod = "";
        private long longestMethodLines;

        private Reader(CompilationUnitTree unit, DocTrees trees) {
            this.unit = unit;
            this.trees = trees;
        }

        private JavaSource read() throws IOException {
            scan(new TreePath(unit), null);
            return new JavaSource(
                    Checkout.root().relativize(Path.of(unit.getSourceFile().toUri())),
                    unit.getSourceFile().getCharContent(true).toString().lines().count(),
                    uncommented,
                    catches,
                    longestMethod,
                    longestMethodLines);
        }

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            boolean topLevel = getCurrentPath().getParentPath().getLeaf() == unit;
            boolean visible = topLevel || type.getModifiers().getFlags().contains(Modifier.PUBLIC);
            if (visible && trees.getDocComment(getCurrentPath()) == null) {
                uncommented.add(type.getSimpleName().toString());
            }
            return super.visitClass(type, nothing);
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            LineMap map = unit.getLineMap();
            long lines = 1 + map.getLineNumber(end(method)) - map.getLineNumber(start(method));
            if (lines > longestMethodLines) {
                longestMethod = method.getName().toString();
                longestMethodLines = lines;
            }
            return super.visitMethod(method, nothing);
        }

        private long start(Tree tree) {
            return trees.getSourcePositions().getStartPosition(unit, tree);
        }

        private long end(Tree tree) {
            return Math.max(start(tree), trees.getSourcePositions().getEndPosition(unit, tree) - 1);
        }

        @Override
        public Void visitCatch(CatchTree clause, Void nothing) {
            catches.add(clause.getParameter().getType().toString());
            return super.visitCatch(clause, nothing);
        }
    }
}
