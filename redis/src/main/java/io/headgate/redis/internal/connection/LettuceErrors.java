package io.headgate.redis.internal.connection;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What Lettuce's failures mean here. */
public final class LettuceErrors {
  public static Throwable rootOf(Throwable problem) {
    var root = problem;
    while ((root instanceof CompletionException || root instanceof ExecutionException)
        && root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** What Lettuce said, also where that was translated already. */
  private static Throwable saidBy(Throwable problem) {
    var root = rootOf(problem);
    return root instanceof StoreException && root.getCause() != null ? root.getCause() : root;
  }

  static boolean lacksScript(Throwable problem) {
    return rootOf(problem) instanceof RedisNoScriptException;
  }

  /** Whether there was no connection to send it on; nothing was, then. */
  static boolean wasNotSent(Throwable problem) {
    var cause = saidBy(problem);
    return cause instanceof RedisException
        && cause.getMessage() != null
        && cause.getMessage().contains("not connected. Commands are rejected");
  }

  /** Whether the keys are on their way between two servers, neither of which did anything. */
  static boolean isBetweenServers(Throwable problem) {
    return saidBy(problem) instanceof RedisCommandExecutionException answer
        && answer.getMessage() != null
        && answer.getMessage().startsWith("TRYAGAIN");
  }

  /** Whether the server that answered can't be the right one any more, or not yet. */
  static boolean isFromWrongServer(Throwable problem) {
    return rootOf(problem) instanceof RedisCommandExecutionException answer
        && answer.getMessage() != null
        && answer.getMessage().matches("(?s).*\\b(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\\b.*");
  }

  /**
   * @param server where, in words that hold no password
   */
  static StoreException translated(Throwable problem, String server) {
    var root = rootOf(problem);
    return switch (root) {
      case StoreException ours -> ours;
      case RedisCommandTimeoutException late ->
          new StoreException(Kind.TIMEOUT, "Redis at %s did not answer".formatted(server), late);
      case RedisCommandExecutionException answer ->
          new StoreException(
              Kind.REFUSED, "Redis at %s says: %s".formatted(server, answer.getMessage()), answer);
      default -> withoutConnection(root, server);
    };
  }

  private static StoreException withoutConnection(Throwable root, String server) {
    var message = "no connection to Redis at " + server;
    return wasNotSent(root)
        ? new StoreException(Kind.CONNECTION, message, root).unsent()
        : new StoreException(Kind.CONNECTION, message + ": " + deepest(root), root);
  }

  /** Lettuce says "unable to connect to"; the reason is what it has as the last cause. */
  private static String deepest(Throwable problem) {
    var cause = problem;
    while (cause.getCause() != null) cause = cause.getCause();
    var text = cause.getMessage();
    return text == null ? cause.getClass().getSimpleName() : text;
  }

  private LettuceErrors() {}
}
