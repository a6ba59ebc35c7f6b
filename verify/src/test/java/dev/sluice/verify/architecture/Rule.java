package dev.sluice.verify.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One rule of the architecture.
 *
 * @param number the rule's number in section 19 of the design
 * @param name short, for the test report and for the fixtures
 * @param subjects the classes it speaks about; a rule without subjects checks nothing
 * @param rule what it demands of them, and why
 */
record Rule(int number, String name, DescribedPredicate<JavaClass> subjects, ArchRule rule) {

    /** What the rule finds wrong, one line each. */
    List<String> violations(JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().getDetails();
    }

    /** A rule that looks at each subject and reports lines about it. */
    static Rule each(
            int number,
            String name,
            DescribedPredicate<JavaClass> subjects,
            String demand,
            String because,
            BiConsumer<JavaClass, Consumer<String>> check) {
        ArchCondition<JavaClass> condition =
                new ArchCondition<>(demand) {
                    @Override
                    public void check(JavaClass c, ConditionEvents events) {
                        check.accept(
                                c,
                                line ->
                                        events.add(
                                                SimpleConditionEvent.violated(
                                                        c, c.getName() + ": " + line)));
                    }
                };
        return new Rule(
                number,
                name,
                subjects,
                ArchRuleDefinition.classes()
                        .that(subjects)
                        .should(condition)
                        .allowEmptyShould(true)
                        .because(because));
    }

    @Override
    public String toString() {
        return number + " " + name;
    }
}
