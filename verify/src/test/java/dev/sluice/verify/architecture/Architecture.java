package dev.sluice.verify.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;

import java.util.List;
import java.util.stream.Stream;

/**
 * The rules of section 19 of the design and the classes they are put to.
 *
 * @param classes all classes below the root
 * @param rules all rules, for that root
 */
record Architecture(JavaClasses classes, List<Rule> rules) {

    /** The production classes of all modules. */
    static Architecture ofProject() {
        return of(
                new Layout("dev.sluice"),
                new ClassFileImporter()
                        .withImportOption(location -> !isTest(location))
                        .importPackages("dev.sluice"));
    }

    /** Classes of this module, written to break each rule once. */
    static Architecture ofFixtures() {
        String root = "dev.sluice.verify.bad";
        return of(new Layout(root), new ClassFileImporter().importPackages(root));
    }

    private static Architecture of(Layout layout, JavaClasses classes) {
        return new Architecture(
                classes,
                Stream.of(
                                DependencyRules.of(layout),
                                PurityRules.of(layout),
                                StateRules.of(layout),
                                ShapeRules.of(layout, classes))
                        .flatMap(List::stream)
                        .toList());
    }

    private static boolean isTest(Location location) {
        return location.contains("/test-classes/")
                || location.contains("-tests.jar")
                || location.contains("/testkit/");
    }
}
