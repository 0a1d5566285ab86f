package io.headgate.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Runs a script per request, with Lettuce's defaults. */
abstract sealed class ScriptRemote implements Remote {
  private final RedisClient client;
  private final byte[][][] keys;
  private final byte[][] arguments;
  final RedisAsyncCommands<byte[], byte[]> redis;
  final String sha1;

  private ScriptRemote(String uri, String script, byte[][][] keys, List<Long> arguments) {
    this.client = RedisClient.create(uri);
    this.keys = keys;
    this.arguments = arguments.stream().map(n -> bytes(n.toString())).toArray(byte[][]::new);
    try {
      var connection = client.connect(ByteArrayCodec.INSTANCE);
      this.redis = connection.async();
      this.sha1 = connection.sync().scriptLoad(text(script));
    } catch (RuntimeException e) {
      client.shutdown();
      throw e;
    }
  }

  static Remote oneCall(String uri, String name, Quota quota, int keys) {
    long interval = quota.period.toNanos() / 1_000 / quota.permits;
    return new OneCall(uri, keys(keys, "gcra:" + name + ":user:%d"), interval, quota.burst);
  }

  /** Its rate is in whole tokens per second, so 1 per second is the minimum. */
  static Remote gateway(String uri, String name, Quota quota, int keys) {
    var id = "request_rate_limiter.{" + name + ":user:%d}.";
    return new Gateway(uri, keys(keys, id + "tokens", id + "timestamp"), 1, quota.burst);
  }

  abstract CompletionStage<Boolean> run(byte[][] keys, byte[][] arguments);

  @Override
  public final CompletionStage<Boolean> check(int key) {
    return run(keys[key], arguments);
  }

  @Override
  public final void close() {
    client.shutdown();
  }

  private static byte[][][] keys(int count, String... formats) {
    return IntStream.range(0, count)
        .mapToObj(i -> List.of(formats).stream().map(f -> bytes(f.formatted(i))))
        .map(names -> names.toArray(byte[][]::new))
        .toArray(byte[][][]::new);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] text(String script) {
    try (var file = ScriptRemote.class.getResourceAsStream(script)) {
      return Objects.requireNonNull(file, script).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class OneCall extends ScriptRemote {
    OneCall(String uri, byte[][][] keys, long interval, long burst) {
      super(uri, "one-call.lua", keys, List.of(interval, interval * burst));
    }

    @Override
    CompletionStage<Boolean> run(byte[][] keys, byte[][] arguments) {
      return redis
          .<Long>evalsha(sha1, ScriptOutputType.INTEGER, keys, arguments)
          .thenApply(wait -> wait == 0);
    }
  }

  private static final class Gateway extends ScriptRemote {
    Gateway(String uri, byte[][][] keys, long perSecond, long burst) {
      super(uri, "gateway.lua", keys, List.of(perSecond, burst));
    }

    @Override
    CompletionStage<Boolean> run(byte[][] keys, byte[][] arguments) {
      return redis
          .<List<Long>>evalsha(sha1, ScriptOutputType.MULTI, keys, arguments)
          .thenApply(said -> said.getFirst() == 1);
    }
  }
}
