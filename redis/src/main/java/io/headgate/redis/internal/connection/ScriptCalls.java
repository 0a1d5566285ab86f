package io.headgate.redis.internal.connection;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs scripts on a single server or a cluster. */
final class ScriptCalls {

  /**
   * Runs a script by its hash. A server without the script (restarted, promoted, or after SCRIPT
   * FLUSH) executes nothing and replies NOSCRIPT; the script is then sent with its text.
   */
  static <T> CompletionStage<T> run(
      RedisScriptingAsyncCommands<byte[], byte[]> redis,
      Script script,
      ScriptOutputType type,
      byte[][] keys,
      byte[]... arguments) {
    CompletionStage<T> first = redis.evalsha(script.sha1(), type, keys, arguments);
    return first.exceptionallyCompose(failure ->
        LettuceErrors.isNoScript(failure)
            ? redis.<T>eval(script.text(), type, keys, arguments)
            : CompletableFuture.failedStage(failure));
  }

  /**
   * Evaluates a batch. A server without the script is checked before it receives it: a 32-bit build
   * of Redis silently truncates 64-bit numbers in scripts, so its counters would be wrong. Such a
   * server never receives the script, and each call fails with a {@link StoreException}.
   *
   * @param script {@link Script#DECIDE} or {@link Script#COMPACT}
   */
  static CompletionStage<byte[]> decide(
      RedisScriptingAsyncCommands<byte[], byte[]> redis,
      Script script,
      byte[][] keys,
      byte[] argument) {
    CompletionStage<byte[]> first =
        redis.evalsha(script.sha1(), ScriptOutputType.VALUE, keys, argument);
    return first.exceptionallyCompose(failure ->
        LettuceErrors.isNoScript(failure)
            ? requireWideNumbers(redis, keys)
                .thenCompose(
                    wide -> redis.eval(script.text(), ScriptOutputType.VALUE, keys, argument))
            : CompletableFuture.failedStage(failure));
  }

  /**
   * Evaluates a batch at the home of regions. A server without the script may have lost shares, so
   * it is opened first and nothing is evaluated: the call fails with a {@link StoreException}, and
   * later ones do until the shares have ended.
   *
   * @param keys those of the batch, and last the marker of home
   * @param lease the longest lease, in microseconds
   */
  static CompletionStage<byte[]> decideAtHome(
      RedisClusterAsyncCommands<byte[], byte[]> redis,
      byte[][] keys,
      byte[] argument,
      byte[] lease) {
    CompletionStage<byte[]> first =
        redis.evalsha(Script.HOME.sha1(), ScriptOutputType.VALUE, keys, argument, lease);
    return first.exceptionallyCompose(failure ->
        LettuceErrors.isNoScript(failure) || LettuceErrors.isNoHome(failure)
            ? openHome(redis, keys[keys.length - 1], lease)
            : CompletableFuture.failedStage(failure));
  }

  private static CompletionStage<byte[]> openHome(
      RedisClusterAsyncCommands<byte[], byte[]> redis, byte[] marker, byte[] lease) {
    return requireWideNumbers(redis, new byte[][] {marker})
        .thenCompose(wide -> redis.get(marker))
        .thenCompose(seen ->
            redis.<byte[]>eval(
                Script.HOME_OPEN.text(),
                ScriptOutputType.VALUE,
                new byte[][] {marker},
                seen == null ? new byte[0] : seen,
                lease))
        .thenCompose(written -> redis.scriptLoad(Script.HOME.text()))
        .thenCompose(loaded ->
            CompletableFuture.failedStage(
                new StoreException(
                    Kind.REFUSED, "home was opened now, and grants shares later", null)));
  }

  /** Publishes the state of an instance, and reads those of all. */
  static CompletionStage<List<Object>> regions(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[] key, byte[]... arguments) {
    return run(redis, Script.REGIONS, ScriptOutputType.MULTI, new byte[][] {key}, arguments);
  }

  /** Checks the server that owns the slot of the keys. */
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
                        "this Redis is a 32-bit build: its scripts truncate 64-bit numbers, so its"
                            + " counters would be wrong; use a 64-bit build of Redis or Valkey",
                        null)));
  }

  /**
   * Records a heartbeat and counts the instances with a recent one.
   *
   * @param key the sorted set of instances
   * @param arguments the name of the instance, or an empty one to count only, and the time for
   *     which a heartbeat is valid, in milliseconds
   */
  static CompletionStage<InstanceCounts> heartbeat(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[] key, byte[]... arguments) {
    CompletionStage<List<Object>> reply =
        run(redis, Script.INSTANCES, ScriptOutputType.MULTI, new byte[][] {key}, arguments);
    return reply.thenApply(InstanceCounts::of);
  }

  /**
   * Removes a counter in the layout compact.
   *
   * @param keys the key of the counter and its shared key
   */
  static CompletionStage<Long> resetShared(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[][] keys) {
    return run(redis, Script.COMPACT_RESET, ScriptOutputType.INTEGER, keys);
  }

  /** Applies a report of the load of a backend, or reads the load. */
  static CompletionStage<byte[]> signal(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[] key, byte[]... arguments) {
    return run(redis, Script.SIGNALS, ScriptOutputType.VALUE, new byte[][] {key}, arguments);
  }

  /** Changes or reads the list of open reservations. */
  static CompletionStage<List<Object>> reservations(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[][] keys, byte[]... arguments) {
    return run(redis, Script.RESERVATIONS, ScriptOutputType.MULTI, keys, arguments);
  }

  private ScriptCalls() {}
}
