package io.headgate.server.stats;

import io.headgate.redis.Broadcast;
import io.headgate.server.callers.CallerCodec;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerMerge;
import io.headgate.server.callers.PeerInstances;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The callers of this instance and, where they share a store, of the others: each leaves its list
 * there from time to time, and says so; whoever looks reads those of the others.
 */
public final class ClusterCallers {
  /** How often a list is left. */
  public static final Duration EVERY = Duration.ofSeconds(5);

  private static final Duration KEPT = EVERY.multipliedBy(3);
  private static final long READ_MILLIS = 500;
  private static final String TOPIC = "callers";

  private final StatsCollector watch;
  private final Optional<Broadcast> bulletin;
  private final String instance;
  private final PeerInstances others = new PeerInstances(KEPT, System::nanoTime);

  /** For an instance that has nobody to share with. */
  public ClusterCallers(StatsCollector watch) {
    this(watch, Optional.empty(), "");
  }

  /**
   * @param instance what to call this one; no other is called so
   */
  public ClusterCallers(StatsCollector watch, Optional<Broadcast> bulletin, String instance) {
    this.watch = watch;
    this.bulletin = bulletin;
    this.instance = instance;
    bulletin.ifPresent(board -> board.listen(TOPIC, this::heard));
  }

  private void heard(String name) {
    if (name.equals(instance) || !name.matches("[0-9a-f]{1,32}")) return;
    others.heard(name);
  }

  /** Leaves this instance's list for the others. If that fails, the next may not. */
  public void publish() {
    if (bulletin.isEmpty()) return;
    byte[] content = CallerCodec.encode(watch.callers());
    byte[] name = instance.getBytes(StandardCharsets.UTF_8);
    var unused =
        bulletin
            .get()
            .post(topicOf(instance), content, KEPT, "")
            .thenCompose(kept -> bulletin.get().post(TOPIC, name, KEPT, instance))
            .exceptionally(failure -> null);
  }

  private static String topicOf(String name) {
    return TOPIC + ":" + name;
  }

  public CompletionStage<CallerList> all() {
    var own = CompletableFuture.supplyAsync(watch::callers, Thread::startVirtualThread);
    if (bulletin.isEmpty()) return own;
    var lists = new ArrayList<CompletableFuture<Optional<CallerList>>>();
    lists.add(own.thenApply(Optional::of));
    for (var name : others.present()) lists.add(read(bulletin.get().read(topicOf(name))));
    return merged(lists);
  }

  /** Aside: many long lists take a while, and who brings them has checks to carry. */
  static CompletableFuture<CallerList> merged(List<CompletableFuture<Optional<CallerList>>> lists) {
    return CompletableFuture.allOf(lists.toArray(CompletableFuture<?>[]::new))
        .thenApplyAsync(done -> CallerMerge.of(present(lists)), Thread::startVirtualThread);
  }

  /** One that can't be read in time is left out. Aside, as above. */
  static CompletableFuture<Optional<CallerList>> read(CompletionStage<Optional<byte[]>> left) {
    return left.thenApplyAsync(
            content -> content.flatMap(CallerCodec::decode), Thread::startVirtualThread)
        .toCompletableFuture()
        .orTimeout(READ_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(failure -> Optional.empty());
  }

  private static List<CallerList> present(List<CompletableFuture<Optional<CallerList>>> lists) {
    return lists.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList();
  }
}
