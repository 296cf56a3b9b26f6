import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** MariaDB Connector/J. The last argument holds options for the URL, as in useServerPrepStmts=true. See README.md. */
public class MariaDB {
    static final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    public static void main(String[] a) throws Exception {
        String url = "jdbc:mariadb://" + a[0] + ":" + a[1] + "/" + a[4] + "?" + (a.length > 5 ? a[5] : "");
        try (Connection c = DriverManager.getConnection(url, a[2], a[3])) {
            out.println("ok");
            talk(c);
        } catch (SQLException e) {
            complain(e);
        }
    }

    static void talk(Connection c) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            String[] f = line.split("\t", -1);
            try {
                out.println("ok " + (f[0].equals("text") ? text(c, f[1]) : prepared(c, f)));
            } catch (SQLException e) {
                complain(e);
            }
        }
    }

    static String text(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            return s.execute(sql) ? rows(s.getResultSet()) : "";
        }
    }

    static String prepared(Connection c, String[] f) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(f[1])) {
            for (int i = 2; i < f.length; i++) {
                if (f[i].matches("\\d+")) s.setLong(i - 1, Long.parseLong(f[i]));
                else s.setString(i - 1, f[i]);
            }
            return rows(s.executeQuery());
        }
    }

    static String rows(ResultSet r) throws SQLException {
        List<Object> all = new ArrayList<>();
        while (r.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) row.add(written(r.getObject(i)));
            all.add(row);
        }
        return all.toString();
    }

    static Object written(Object v) throws SQLException {
        if (v instanceof byte[]) return Arrays.toString((byte[]) v);
        if (v instanceof Blob) return Arrays.toString(((Blob) v).getBytes(1, (int) ((Blob) v).length()));
        return v;
    }

    /** The driver puts ports and connection ids into its messages; they differ, of course. */
    static void complain(SQLException e) {
        String said = e.getMessage().replace('\n', ' ').replaceAll("\\((conn|port)=\\d+\\)", "");
        out.println("error " + e.getErrorCode() + " " + said);
    }
}
