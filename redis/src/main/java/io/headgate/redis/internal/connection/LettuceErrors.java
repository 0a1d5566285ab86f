package io.headgate.redis.internal.connection;

import static io.headgate.internal.script.Failures.rootOf;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;

/** Classifies failures of Lettuce and translates them to {@link StoreException}. */
public final class LettuceErrors {
  /** Returns the failure of Lettuce, even if it was already translated. */
  private static Throwable lettuceFailure(Throwable problem) {
    var root = rootOf(problem);
    return root instanceof StoreException && root.getCause() != null ? root.getCause() : root;
  }

  static boolean isNoScript(Throwable problem) {
    return rootOf(problem) instanceof RedisNoScriptException;
  }

  /** Returns whether the server is a home of regions without a marker. */
  static boolean isNoHome(Throwable problem) {
    return rootOf(problem) instanceof RedisCommandExecutionException reply
        && reply.getMessage() != null
        && reply.getMessage().startsWith("NOHOME");
  }

  /** Returns whether the command was rejected because there was no connection. */
  static boolean wasNotSent(Throwable problem) {
    var cause = lettuceFailure(problem);
    return cause instanceof RedisException
        && cause.getMessage() != null
        && cause.getMessage().contains("not connected. Commands are rejected");
  }

  /** Returns whether the keys are being migrated between two nodes; nothing was executed. */
  static boolean isTryAgain(Throwable problem) {
    return lettuceFailure(problem) instanceof RedisCommandExecutionException reply
        && reply.getMessage() != null
        && reply.getMessage().startsWith("TRYAGAIN");
  }

  /** Returns whether the server is not, or not yet, a primary that accepts writes. */
  static boolean requiresReconnect(Throwable problem) {
    return rootOf(problem) instanceof RedisCommandExecutionException reply
        && reply.getMessage() != null
        && reply.getMessage().matches("(?s).*\\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\\b.*");
  }

  /**
   * Translates a failure.
   *
   * @param server the server's address, without a password
   */
  static StoreException toStoreException(Throwable problem, String server) {
    var root = rootOf(problem);
    return switch (root) {
      case StoreException storeException -> storeException;
      case RedisCommandTimeoutException timeout ->
          new StoreException(Kind.TIMEOUT, "Redis at %s did not answer".formatted(server), timeout);
      case RedisCommandExecutionException reply ->
          new StoreException(
              Kind.REFUSED,
              "Redis at %s returned an error: %s".formatted(server, reply.getMessage()),
              reply);
      default -> connectionFailure(root, server);
    };
  }

  private static StoreException connectionFailure(Throwable root, String server) {
    var message = "no connection to Redis at " + server;
    return wasNotSent(root)
        ? new StoreException(Kind.CONNECTION, message, root).unsent()
        : new StoreException(Kind.CONNECTION, message + ": " + NetworkErrorText.of(root), root);
  }

  private LettuceErrors() {}
}
