package io.headgate.cluster.internal;

import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The list of open reservations, in {@link #SHARDS} parts at as many owners, and the secret of
 * their ids. Takes the arguments of the script that keeps the list in Redis, and returns its
 * replies. Thread-safe.
 */
final class OpenListClient {
  /** The number of parts, the same in every member. */
  static final int SHARDS = 16;

  /** Ids are spread evenly but not exactly, so that a part may have some more. */
  static final int MARGIN = 2;

  private record Due(long expiresAt, String id) {}

  private final MemberConnection connection;
  private final AtomicLongArray counts = new AtomicLongArray(SHARDS); // of the last replies

  OpenListClient(MemberConnection connection) {
    this.connection = connection;
  }

  /**
   * Executes an operation.
   *
   * @param secretKey the key of the secret
   * @param arguments the time or -1, then {@code list}, the highest number of ids, and of those of
   *     one subject, and pairs of an expiry and an id; or {@code due}, the highest number of ids to
   *     return, and a secret to keep if there is none
   * @throws IllegalArgumentException if the operation is none of these
   */
  CompletionStage<List<Object>> execute(String secretKey, byte[]... arguments) {
    long time = number(arguments[0]);
    var operation = text(arguments[1]);
    return switch (operation) {
      case "list" -> change(time, number(arguments[2]), arguments);
      case "due" -> due(time, Math.toIntExact(number(arguments[2])), secretKey, arguments[3]);
      default -> throw new IllegalArgumentException("unknown operation: " + operation);
    };
  }

  private CompletionStage<List<Object>> change(long time, long max, byte[][] arguments) {
    var messages = new TreeMap<Integer, NumberWriter>();
    var refused = ConcurrentHashMap.<String>newKeySet();
    for (int i = 4; i + 1 < arguments.length; i += 2) {
      var id = text(arguments[i + 1]);
      messages
          .computeIfAbsent(
              shardOf(id), shard -> new NumberWriter().put(time).put(max / SHARDS * MARGIN))
          .put(number(arguments[i]))
          .put(id);
    }
    var calls = new ArrayList<CompletableFuture<?>>();
    messages.forEach((shard, message) ->
        calls.add(
            connection
                .call(PartitionCall.Kind.CHANGE_LIST, name(shard), message.toByteArray())
                .thenAccept(reply -> {
                  var in = new NumberReader(reply);
                  counts.set(shard, in.next());
                  while (in.hasMore()) refused.add(in.text()); // an earlier version returns none
                })
                .toCompletableFuture()));
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
        .thenApply(done -> {
          var reply = new ArrayList<Object>();
          for (int i = 5; i < arguments.length; i += 2) {
            reply.add(refused.contains(text(arguments[i])) ? 0L : 1L);
          }
          reply.add(count());
          return reply;
        });
  }

  private CompletionStage<List<Object>> due(long time, int max, String secretKey, byte[] secret) {
    var kept = connection.call(PartitionCall.Kind.KEEP, secretKey, secret).toCompletableFuture();
    var message = new NumberWriter().put(time).put(max).toByteArray();
    var parts = new ArrayList<CompletableFuture<List<Due>>>(SHARDS);
    for (int i = 0; i < SHARDS; i++) {
      int shard = i;
      parts.add(
          connection
              .call(PartitionCall.Kind.LIST_DUE, name(shard), message)
              .thenApply(reply -> read(shard, reply))
              .toCompletableFuture());
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenCombine(
            kept,
            (done, value) -> {
              var reply = new ArrayList<Object>(List.of(value, count()));
              parts.stream()
                  .flatMap(part -> part.join().stream())
                  .sorted(Comparator.comparingLong(Due::expiresAt))
                  .limit(max)
                  .forEach(due -> reply.add(due.id.getBytes(StandardCharsets.UTF_8)));
              return reply;
            });
  }

  private List<Due> read(int shard, byte[] reply) {
    var in = new NumberReader(reply);
    counts.set(shard, in.next());
    var all = new ArrayList<Due>();
    while (in.hasMore()) all.add(new Due(in.next(), in.text()));
    return all;
  }

  private long count() {
    long sum = 0;
    for (int i = 0; i < SHARDS; i++) sum += counts.get(i);
    return sum;
  }

  private static int shardOf(String id) {
    return Math.floorMod(id.hashCode(), SHARDS);
  }

  /** Returns the beginning of the names of the entries of a part, with its tag. */
  private static String name(int shard) {
    return "{*reservations" + shard + "}open|";
  }

  private static long number(byte[] text) {
    return Long.parseLong(text(text));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
