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
 * Where a database is.
 *
 * @param place for people; without what is secret
 * @param file the file of an embedded database, without its ending
 */
public record DatabaseAddress(
    String jdbc, String user, String password, String place, Optional<Path> file) {
  private static final String H2 = "h2:";
  private static final String POSTGRESQL = "postgresql://";
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?");

  /**
   * @param text {@code h2:PATH} or {@code postgresql://user:password@host:port/database}
   * @param directory what a path is relative to
   */
  public static DatabaseAddress parse(String text, Path directory) {
    if (text.startsWith(H2)) return h2(text.substring(H2.length()), directory);
    if (text.startsWith(POSTGRESQL)) return postgresql(text);
    throw new IllegalArgumentException(
        "not an address of a database: it begins neither with h2: (then a path) nor with"
            + " postgresql:// (then user:password@host:port/database)");
  }

  private static DatabaseAddress h2(String path, Path directory) {
    if (path.isBlank() || path.contains(";")) {
      throw new IllegalArgumentException(
          "h2: must be followed by the path of a file, without ';' and settings after it");
    }
    var file = directory.resolve(path).toAbsolutePath().normalize();
    // A commit is on its way to the disk when it returns; others wait for it, but not for ever.
    String jdbc =
        "jdbc:h2:file:%s;WRITE_DELAY=0;LOCK_TIMEOUT=5000;DB_CLOSE_ON_EXIT=FALSE".formatted(file);
    return new DatabaseAddress(jdbc, "headgate", "", H2 + path, Optional.of(file));
  }

  private static DatabaseAddress postgresql(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      // Its message has the text, and with it the password.
      throw new IllegalArgumentException(
          "not an address of PostgreSQL (%s); in a password write %%40 for @, %%2F for / and so on"
              .formatted(e.getReason()));
    }
    String database = uri.getRawPath() == null ? "" : uri.getRawPath().replaceFirst("^/", "");
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    boolean cut = database.contains("/") || (database + query).contains("@");
    if (cut || uri.getRawFragment() != null) { // most likely by a character of the password
      throw new IllegalArgumentException(
          "in an address of PostgreSQL the name of the database has neither / nor @ nor #; in a"
              + " password write %40 for @, %2F for /, %3F for ? and %23 for #");
    }
    // By hand, since a URI knows no host with a '_'.
    String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
    int end = authority.lastIndexOf('@');
    String at = authority.substring(end + 1);
    if (!HOST.matcher(at).matches() || isNoPort(at) || database.isEmpty()) {
      throw new IllegalArgumentException(
          "an address of PostgreSQL has a host and a database:"
              + " postgresql://user:password@host:port/database");
    }
    String login = end < 0 ? "" : authority.substring(0, end);
    int colon = login.indexOf(':');
    String place = POSTGRESQL + at + "/" + database;
    // Messages of the driver and the pool may show the address, so no login stays in it.
    String user = colon < 0 ? login : login.substring(0, colon);
    return new DatabaseAddress(
        "jdbc:" + place + withoutLogin(query),
        decoded(parameter(query, "user").orElse(user)),
        decoded(parameter(query, "password").orElse(colon < 0 ? "" : login.substring(colon + 1))),
        place,
        Optional.empty());
  }

  /** Of which the driver would complain with the whole address. */
  private static boolean isNoPort(String at) {
    int colon = at.lastIndexOf(':');
    if (colon < 0 || at.endsWith("]")) return false;
    int port = Integer.parseInt(at.substring(colon + 1));
    return port < 1 || port > 65_535;
  }

  private static Optional<String> parameter(String query, String name) {
    for (var part : query.replaceFirst("^\\?", "").split("&", -1)) {
      if (part.startsWith(name + "=")) return Optional.of(part.substring(name.length() + 1));
    }
    return Optional.empty();
  }

  private static String withoutLogin(String query) {
    var kept = new StringJoiner("&", "?", "").setEmptyValue("");
    for (var part : query.replaceFirst("^\\?", "").split("&", -1)) {
      if (!part.isEmpty() && !part.matches("(user|password)=.*")) kept.add(part);
    }
    return kept.toString();
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  boolean isEmbedded() {
    return file.isPresent();
  }

  @Override
  public String toString() {
    return place;
  }
}
