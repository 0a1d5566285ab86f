package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.regex.Pattern;

/** A client of the rules API over one connection. */
public final class Admin implements AutoCloseable {
  private static final Pattern REVISION = Pattern.compile("\"number\":(\\d+)");

  private final RawConnection connection;

  public Admin(int port) {
    this.connection = new RawConnection(port);
  }

  public RawAnswer get(String path, String... headers) {
    return connection.request("GET", path, headers);
  }

  public RawAnswer put(String path, String body, String... headers) {
    return send("PUT", path, body, headers);
  }

  public RawAnswer delete(String path, String... headers) {
    return send("DELETE", path, "", headers);
  }

  public RawAnswer post(String path, String... headers) {
    return send("POST", path, "", headers);
  }

  public RawAnswer send(String method, String path, String body, String... headers) {
    var bytes = body.getBytes(UTF_8);
    var all = Arrays.copyOf(headers, headers.length + 1);
    all[headers.length] = "Content-Length: " + bytes.length;
    connection.send(RawConnection.head(method + " " + path, all), bytes);
    return connection.read();
  }

  /** Returns the first revision number in a response. */
  static long revision(RawAnswer answer) {
    var number = REVISION.matcher(answer.body());
    if (!number.find()) throw new AssertionError("no revision in " + answer);
    return Long.parseLong(number.group(1));
  }

  @Override
  public void close() {
    connection.close();
  }
}
