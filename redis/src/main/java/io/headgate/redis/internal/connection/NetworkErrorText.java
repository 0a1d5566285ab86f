package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisCommandTimeoutException;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.SignatureException;
import java.security.cert.CertPathBuilderException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Describes in words why a connection could not be made or was lost. */
final class NetworkErrorText {
  /** The system call and error number that Netty's native transports put before the reason. */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^(syscall:)?\\w+\\(\\.\\.\\) failed( with error\\(-?\\d+\\))?: ");

  private static final Pattern REFUSED = Pattern.compile("(?i)connection refused");

  /**
   * Returns the reason of a failure. The known failures are recognized anywhere in the chain of
   * causes, because resolvers and Lettuce wrap them in different ways; for all others it is the
   * message of the last cause.
   */
  static String of(Throwable problem) {
    Throwable last = problem;
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      var known = known(cause);
      if (known.isPresent()) return known.get();
      last = cause;
    }
    var text = last.getMessage();
    return text == null
        ? last.getClass().getSimpleName()
        : SYSTEM_CALL.matcher(text).replaceFirst("");
  }

  private static Optional<String> known(Throwable cause) {
    return Optional.ofNullable(
        switch (cause) {
          case UnknownHostException e -> "the host name can't be resolved";
          case UnresolvedAddressException e -> "the host name can't be resolved";
          case ConnectTimeoutException e -> "the attempt to connect timed out";
          case NoRouteToHostException e -> "there is no route to the host";
          case ConnectException e when isRefused(e) -> "the connection was refused";
          case CertPathBuilderException e -> untrusted(e);
          case SignatureException e -> untrusted(e); // of another issuer with the same name
          case RedisCommandTimeoutException e -> "it accepted the connection and did not answer";
          default -> null;
        });
  }

  private static String untrusted(Exception e) {
    return "its certificate is not trusted (%s); name that of its issuer with --store-ca, or --home-ca for a home, or RedisOptions.Builder.ca"
        .formatted(e.getMessage());
  }

  private static boolean isRefused(ConnectException e) {
    return e.getMessage() != null && REFUSED.matcher(e.getMessage()).find();
  }

  private NetworkErrorText() {}
}
