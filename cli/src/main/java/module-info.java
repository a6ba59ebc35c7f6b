/** The command {@code sluice}: one class per sub-command. */
module dev.sluice.cli {
    requires com.fasterxml.jackson.core;
    requires dev.sluice.core;
    requires dev.sluice.doctor;
    requires dev.sluice.lab;
    requires dev.sluice.runtime;
    requires dev.sluice.sim;
    requires info.picocli;
    requires java.logging;
    requires java.management;
    requires java.management.rmi;
    requires jdk.attach;
    requires jdk.jfr;
    requires org.apache.tomcat.embed.core;

    opens dev.sluice.cli to
            info.picocli;
}
