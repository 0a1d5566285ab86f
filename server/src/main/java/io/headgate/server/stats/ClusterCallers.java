package io.headgate.server.stats;

import io.headgate.server.callers.CallerCodec;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerMerge;
import io.headgate.server.callers.PeerInstances;
import io.headgate.store.InstanceChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The top callers of this instance and, if instances share a Redis, of all others. Each instance
 * publishes its list periodically, and lists of the others are read on demand. Thread-safe.
 */
public final class ClusterCallers {
  /** How often each instance publishes its list. */
  public static final Duration PUBLISH_INTERVAL = Duration.ofSeconds(5);

  private static final Duration TIME_TO_LIVE = PUBLISH_INTERVAL.multipliedBy(3);
  private static final long READ_TIMEOUT_MILLIS = 500;
  private static final String TOPIC = "callers";

  private final StatsCollector stats;
  private final Optional<InstanceChannel> broadcast;
  private final String instance;
  private final PeerInstances peers = new PeerInstances(TIME_TO_LIVE, System::nanoTime);

  /** Creates the list of a single instance. */
  public ClusterCallers(StatsCollector stats) {
    this(stats, Optional.empty(), "");
  }

  /**
   * @param instance unique name of this instance
   */
  public ClusterCallers(
      StatsCollector stats, Optional<InstanceChannel> broadcast, String instance) {
    this.stats = stats;
    this.broadcast = broadcast;
    this.instance = instance;
    broadcast.ifPresent(channel -> channel.listen(TOPIC, this::received));
  }

  private void received(String name) {
    if (name.equals(instance) || !name.matches("[0-9a-f]{1,32}")) return;
    peers.seen(name);
  }

  /**
   * Publishes the list of this instance without waiting. A failure is ignored, since the next list
   * follows soon.
   */
  public void publish() {
    if (broadcast.isEmpty()) return;
    byte[] content = CallerCodec.encode(stats.callers());
    byte[] name = instance.getBytes(StandardCharsets.UTF_8);
    var unused =
        broadcast
            .get()
            .post(topicOf(instance), content, TIME_TO_LIVE, "")
            .thenCompose(kept -> broadcast.get().post(TOPIC, name, TIME_TO_LIVE, instance))
            .exceptionally(failure -> null);
  }

  private static String topicOf(String name) {
    return TOPIC + ":" + name;
  }

  /**
   * Returns the merged list of all known instances. Lists that cannot be read within {@value
   * #READ_TIMEOUT_MILLIS} ms are left out.
   */
  public CompletionStage<CallerList> all() {
    var own = CompletableFuture.supplyAsync(stats::callers, Thread::startVirtualThread);
    if (broadcast.isEmpty()) return own;
    var lists = new ArrayList<CompletableFuture<Optional<CallerList>>>();
    lists.add(own.thenApply(Optional::of));
    for (var name : peers.present()) lists.add(read(broadcast.get().read(topicOf(name))));
    return merged(lists);
  }

  /**
   * Merges the lists on a virtual thread, since the thread that delivers them also serves checks.
   */
  static CompletableFuture<CallerList> merged(List<CompletableFuture<Optional<CallerList>>> lists) {
    return CompletableFuture.allOf(lists.toArray(CompletableFuture<?>[]::new))
        .thenApplyAsync(done -> CallerMerge.of(present(lists)), Thread::startVirtualThread);
  }

  /** Decodes a list on a virtual thread. Completes with empty if it is invalid or late. */
  static CompletableFuture<Optional<CallerList>> read(CompletionStage<Optional<byte[]>> content) {
    return content
        .thenApplyAsync(bytes -> bytes.flatMap(CallerCodec::decode), Thread::startVirtualThread)
        .toCompletableFuture()
        .orTimeout(READ_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(failure -> Optional.empty());
  }

  private static List<CallerList> present(List<CompletableFuture<Optional<CallerList>>> lists) {
    return lists.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList();
  }
}
