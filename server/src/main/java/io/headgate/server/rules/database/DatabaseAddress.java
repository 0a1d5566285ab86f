package io.headgate.server.rules.database;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * Address of a rules database. Its {@code toString} contains no credentials.
 *
 * @param jdbc the JDBC URL, without user and password
 * @param displayName the address without credentials, for messages
 * @param file the file of an embedded database, without its extension
 */
public record DatabaseAddress(
    String jdbc, String user, String password, String displayName, Optional<Path> file) {
  private static final String H2 = "h2:";
  private static final String POSTGRESQL = "postgresql://";
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?");

  /**
   * Parses an address. Exceptions do not contain the text, which may hold a password.
   *
   * @param text {@code h2:PATH} or {@code postgresql://user:password@host:port/database}
   * @param directory base directory of a relative path
   * @throws IllegalArgumentException if the text is not such an address
   */
  public static DatabaseAddress parse(String text, Path directory) {
    if (text.startsWith(H2)) return h2(text.substring(H2.length()), directory);
    if (text.startsWith(POSTGRESQL)) return postgresql(text);
    throw new IllegalArgumentException(
        "not a database address: it must be h2:PATH or"
            + " postgresql://user:password@host:port/database");
  }

  private static DatabaseAddress h2(String path, Path directory) {
    if (path.isBlank() || path.contains(";")) {
      throw new IllegalArgumentException(
          "h2: must be followed by the path of a file, without ';' and settings after it");
    }
    var file = directory.resolve(path).toAbsolutePath().normalize();
    // WRITE_DELAY=0: a commit is written to disk when it returns. LOCK_TIMEOUT bounds the wait for
    // locks. TRACE_LEVEL_FILE=0: H2 would write statements that fail to a file that all users of
    // the
    // machine can read.
    String jdbc =
        "jdbc:h2:file:%s;WRITE_DELAY=0;LOCK_TIMEOUT=5000;DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0"
            .formatted(file);
    return new DatabaseAddress(jdbc, "headgate", "", H2 + path, Optional.of(file));
  }

  private static DatabaseAddress postgresql(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      // The message of the exception contains the text, and with it the password.
      throw new IllegalArgumentException(
          "not a PostgreSQL address (%s); in a password write %%40 for @, %%2F for / and so on"
              .formatted(e.getReason()));
    }
    String database = uri.getRawPath() == null ? "" : uri.getRawPath().replaceFirst("^/", "");
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    boolean truncated = database.contains("/") || (database + query).contains("@");
    // most likely caused by a special character in the password
    if (truncated || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "in a PostgreSQL address the database name cannot contain /, @ or #; in a password write"
              + " %40 for @, %2F for /, %3F for ? and %23 for #");
    }
    // Parsed manually, since URI rejects host names with an underscore.
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    int end = authority.lastIndexOf('@');
    String hostAndPort = authority.substring(end + 1);
    if (!HOST.matcher(hostAndPort).matches() || hasInvalidPort(hostAndPort) || database.isEmpty()) {
      throw new IllegalArgumentException(
          "a PostgreSQL address must have a host and a database:"
              + " postgresql://user:password@host:port/database");
    }
    String credentials = end < 0 ? "" : authority.substring(0, end);
    int colon = credentials.indexOf(':');
    String displayName = POSTGRESQL + hostAndPort + "/" + database;
    // Messages of the driver and the pool may show the URL, so it must not contain credentials.
    String user = colon < 0 ? credentials : credentials.substring(0, colon);
    return new DatabaseAddress(
        "jdbc:" + displayName + withoutCredentials(query),
        decode(parameter(query, "user").orElse(user)),
        decode(
            parameter(query, "password").orElse(colon < 0 ? "" : credentials.substring(colon + 1))),
        displayName,
        Optional.empty());
  }

  /** Detects a port the driver would reject with a message that contains the whole address. */
  private static boolean hasInvalidPort(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    if (colon < 0 || hostAndPort.endsWith("]")) return false;
    int port = Integer.parseInt(hostAndPort.substring(colon + 1));
    return port < 1 || port > 65_535;
  }

  private static Optional<String> parameter(String query, String name) {
    for (var part : query.replaceFirst("^\\?", "").split("&", -1)) {
      if (part.startsWith(name + "=")) return Optional.of(part.substring(name.length() + 1));
    }
    return Optional.empty();
  }

  private static String withoutCredentials(String query) {
    var kept = new StringJoiner("&", "?", "").setEmptyValue("");
    for (var part : query.replaceFirst("^\\?", "").split("&", -1)) {
      if (!part.isEmpty() && !part.matches("(user|password)=.*")) kept.add(part);
    }
    return kept.toString();
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  boolean isEmbedded() {
    return file.isPresent();
  }

  @Override
  public String toString() {
    return displayName;
  }
}
