package dev.sluice.apps;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;

/** Apache Tomcat 11, embedded, with its NIO connector and one servlet. */
final class TomcatApp implements Server {
    @Override
    public Running serve(InetAddress at) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("sluice-tomcat").toString());
        Connector connector = new Connector();
        connector.setProperty("address", at.getHostAddress());
        connector.setPort(0);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "pages", new Pages()).addMapping("/*");
        tomcat.start();
        return new Running(
                connector.getLocalPort(),
                () -> {
                    tomcat.stop();
                    tomcat.destroy();
                });
    }

    private static final class Pages extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setContentType("text/plain");
            Http.answer(
                    request.getPathInfo(),
                    request.getQueryString(),
                    request.getInputStream(),
                    response.getOutputStream());
        }
    }
}
