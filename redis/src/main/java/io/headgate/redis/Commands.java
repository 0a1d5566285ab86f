package io.headgate.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What is asked of a server or of a cluster in the same words. */
final class Commands {

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
        Replies.lacksScript(failure)
            ? redis.<T>eval(script.text(), type, keys, arguments)
            : CompletableFuture.failedStage(failure));
  }

  static CompletionStage<byte[]> decide(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[][] keys, byte[] argument) {
    return run(redis, Script.DECIDE, ScriptOutputType.VALUE, keys, argument);
  }

  static CompletionStage<Long> announce(
      RedisScriptingAsyncCommands<byte[], byte[]> redis, byte[] key, byte[]... arguments) {
    var keys = new byte[][] {key};
    return run(redis, Script.INSTANCES, ScriptOutputType.INTEGER, keys, arguments);
  }

  private Commands() {}
}
