package io.headgate.redis.internal.connection;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What is asked of a server or of a cluster in the same words. */
final class ScriptCalls {

  /**
   * Runs a script by its name. A server that does not know it (it was restarted or promoted, or its
   * scripts were flushed) ran nothing of it, so it is asked once more, with the text.
   */
  static <T> CompletionStage<T> run(
      RedisScriptingAsyncCommands<byte[], byte[]> redis,
      Script script,
      ScriptOutputType type,
      byte[][] keys,
      byte[]... arguments) {
    CompletionStage<T> first = redis.evalsha(script.sha1(), type, keys, arguments);
    return first.exceptionallyCompose(failure ->
        LettuceErrors.lacksScript(failure)
            ? redis.<T>eval(script.text(), type, keys, arguments)
            : CompletableFuture.failedStage(failure));
  }

  /**
   * Decides a batch. A server that lacks the script is checked before it receives it: a 32-bit
   * build of Redis truncates 64-bit numbers in scripts without an error, so that its counters would
   * be wrong. Such a server never gets the script, and each call fails with a {@link
   * StoreException}.
   */
  static CompletionStage<byte[]> decide(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[][] keys, byte[] argument) {
    CompletionStage<byte[]> first =
        redis.evalsha(Script.DECIDE.sha1(), ScriptOutputType.VALUE, keys, argument);
    return first.exceptionallyCompose(failure ->
        LettuceErrors.lacksScript(failure)
            ? requireWideNumbers(redis, keys)
                .thenCompose(wide ->
                    redis.eval(Script.DECIDE.text(), ScriptOutputType.VALUE, keys, argument))
            : CompletableFuture.failedStage(failure));
  }

  /** The keys lead the check to the server of their slot. */
  private static CompletionStage<Long> requireWideNumbers(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[][] keys) {
    return redis
        .<Long>eval(Script.WIDE_NUMBERS.text(), ScriptOutputType.INTEGER, keys)
        .thenCompose(wide ->
            wide == 1
                ? CompletableFuture.completedStage(wide)
                : CompletableFuture.failedStage(
                    new StoreException(
                        Kind.REFUSED,
                        "this Redis is a 32-bit build: its scripts truncate 64-bit numbers, so its counters would be"
                            + " wrong; use a 64-bit build of Redis or Valkey",
                        null)));
  }

  static CompletionStage<Long> announce(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[] key, byte[]... arguments) {
    var keys = new byte[][] {key};
    return run(redis, Script.INSTANCES, ScriptOutputType.INTEGER, keys, arguments);
  }

  private ScriptCalls() {}
}
