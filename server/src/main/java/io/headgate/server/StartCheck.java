package io.headgate.server;

import io.headgate.server.rules.RuleRepositoryException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Detects within milliseconds what would prevent a start, so that it is reported before the warm-up
 * and not after it. A start reports the same, should it only begin to hold in between.
 */
public final class StartCheck {
  private StartCheck() {}

  /**
   * Reads the TLS files, and checks that the port is free and the database is not open in another
   * process.
   *
   * @throws IOException if the service can't listen on the address, or the TLS files can't be used
   * @throws RuleRepositoryException.Unavailable if another process has the database open
   */
  public static void run(ServiceSettings settings, RuleSource source) throws IOException {
    if (settings.tls().isPresent()) {
      try {
        var unused = settings.tls().get().read();
      } catch (IOException | IllegalArgumentException e) {
        throw cannotServeTls(e);
      }
    }
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(settings.host(), settings.port()));
    } catch (IOException e) {
      throw cannotListen(settings, String.valueOf(e.getMessage()), e);
    }
    source.requireFree();
  }

  static IOException cannotServeTls(Exception e) {
    var reason = e instanceof IllegalArgumentException ? e.getMessage() : e.toString();
    return new IOException("cannot serve TLS: " + reason, e);
  }

  static IOException cannotListen(ServiceSettings settings, String reason, Exception e) {
    return new IOException(
        "cannot listen on %s port %d (%s); choose another with --host and --port"
            .formatted(settings.host(), settings.port(), reason),
        e);
  }
}
