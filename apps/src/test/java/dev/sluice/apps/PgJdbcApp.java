package dev.sluice.apps;

import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The JDBC driver of PostgreSQL, which blocks on what a socket factory gives it: rows, bulk in both
 * directions, a wait with a limit, and a cancellation, which goes over a second connection.
 */
final class PgJdbcApp implements Client {
    private static final int ROWS = 5000;
    private static final int LENGTH = 8_000_000;

    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        String url =
                "jdbc:postgresql://%s:%d/postgres?user=postgres&sslmode=disable&socketFactory=%s"
                        .formatted(server.getHostString(), server.getPort(), Sockets.factoryName());
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            rows(connection, statement);
            bulk(connection, statement);
            waits(connection, statement);
            statement.execute("DROP TABLE numbers, large");
        }
    }

    private static void rows(Connection connection, Statement statement) throws SQLException {
        statement.execute("CREATE TABLE numbers (n integer PRIMARY KEY, word text)");
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO numbers VALUES (?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "number " + i);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        statement.setFetchSize(100);
        try (ResultSet rows = statement.executeQuery("SELECT n, word FROM numbers ORDER BY n")) {
            for (int i = 0; i < ROWS; i++) {
                Http.equal(true, rows.next());
                Http.equal(i, rows.getInt(1));
                Http.equal("number " + i, rows.getString(2));
            }
            Http.equal(false, rows.next());
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static void bulk(Connection connection, Statement statement) throws Exception {
        statement.execute("CREATE TABLE large (bytes bytea)");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO large VALUES (?)")) {
            insert.setBytes(1, Content.bytes(LENGTH));
            insert.execute();
        }
        try (ResultSet row = statement.executeQuery("SELECT bytes FROM large")) {
            row.next();
            Http.equal(
                    Content.expected(LENGTH),
                    Content.digest(new ByteArrayInputStream(row.getBytes(1))));
        }
    }

    private static void waits(Connection connection, Statement statement) throws SQLException {
        PGConnection postgres = connection.unwrap(PGConnection.class);
        statement.execute("LISTEN events");
        Http.equal(0, postgres.getNotifications(50).length);
        statement.execute("NOTIFY events, 'said'");
        Http.equal("said", postgres.getNotifications(0)[0].getParameter());
        statement.setQueryTimeout(1);
        try {
            statement.execute("SELECT pg_sleep(300)");
            throw new AssertionError("was not cancelled");
        } catch (SQLException e) {
            // 57014 is query_canceled.
            Http.equal("57014", e.getSQLState());
        }
        statement.setQueryTimeout(0);
    }
}
