package io.headgate.simulation;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The connection of one instance to one server. Messages arrive in order, as with TCP: after a lost
 * message none arrives until the client closes the connection and opens another.
 */
final class Path {
  private static final long REPLY_TIMEOUT = 1_000_000; // then the client closes the connection
  private static final long RECONNECT = 20_000;
  private static final long NOT_AWAITED = -1;

  private final World world;
  private final Node node;
  private final int shard;
  private final Map<Long, CompletableFuture<byte[]>> pending = new LinkedHashMap<>();
  private long messages;
  private long connection;
  private long requestsArriveFrom;
  private long repliesArriveFrom;
  private long lastReply;
  private boolean stalled; // no further request arrives over this connection
  private boolean repliesStalled;
  private boolean refused;
  private long refusedUntil;
  private int lostRequests;
  private int lostReplies;
  private int duplicated;
  private long delay;
  long lastFault = Long.MIN_VALUE / 2;
  private static final long MIN_GAP = 5_000_000; // shorter gaps do not separate two faults

  private boolean faulty;
  private long faultySince = Long.MIN_VALUE / 2;
  private long faultyUntil = Long.MIN_VALUE / 2;

  Path(World world, Node node, int shard) {
    this.world = world;
    this.node = node;
    this.shard = shard;
  }

  private Shard server() {
    return world.shard(shard);
  }

  /** Returns whether there has been no fault for at least that long. */
  boolean isHealthyFor(long micros) {
    long since = Math.max(lastFault, server().lastFault);
    return !isFaulty() && world.now() - since >= micros;
  }

  private boolean isFaulty() {
    boolean setFault = lostRequests + lostReplies + duplicated > 0 || delay > 0;
    return refused || setFault || server().dead || node.isPaused();
  }

  /** Must be called after a change of the path, the server or the instance. */
  void update() {
    boolean before = faulty;
    faulty = isFaulty();
    if (faulty == before) return;
    if (!faulty) faultyUntil = world.now();
    else if (world.now() - faultyUntil > MIN_GAP) faultySince = world.now();
  }

  /** Returns how long the current fault has lasted; short gaps are ignored. */
  long faultyFor() {
    boolean over = !faulty && world.now() - faultyUntil > MIN_GAP;
    return over ? 0 : world.now() - faultySince;
  }

  CompletionStage<byte[]> send(byte[][] keys, byte[] argument) {
    if (isRefused()) return CompletableFuture.failedStage(noConnection().unsent());
    long message = messages++;
    var dice = Dice.of(world.seed(), 1, node.number(), node.generation(), shard, message);
    var future = new CompletableFuture<byte[]>();
    pending.put(message, future);
    long sent = world.now();
    long epoch = connection;
    if (stalled || dice.permille(lostRequests)) {
      stalled = true;
      world.requestLost(node, shard);
      lastFault = world.now();
    } else {
      requestsArriveFrom = Math.max(requestsArriveFrom, sent + travel(dice));
      world.at(requestsArriveFrom, () -> arrive(keys, argument, message, epoch, dice));
      if (dice.permille(duplicated)) {
        world.at(
            requestsArriveFrom + dice.below(2_000),
            () -> arrive(keys, argument, NOT_AWAITED, epoch, dice));
      }
    }
    world.at(sent + REPLY_TIMEOUT, () -> resetIfUnanswered(message, sent, epoch));
    return future;
  }

  private boolean isRefused() {
    return refused || world.now() < refusedUntil || (server().dead && !server().unresponsive);
  }

  private long travel(Dice dice) {
    long latency = world.latency();
    return dice.between(latency / 5, latency) + (delay == 0 ? 0 : dice.below(delay));
  }

  private void arrive(byte[][] keys, byte[] argument, long message, long epoch, Dice dice) {
    var server = server();
    if (server.dead && !server.unresponsive) return;
    server.whenFree(
        keys.length,
        () ->
            server.execute(
                node.number(),
                keys,
                argument,
                execution -> leave(execution, message, epoch, dice)));
  }

  /** Sends a reply, which may be lost. */
  private void leave(World.Execution execution, long message, long epoch, Dice dice) {
    if (epoch != connection) {
      world.replyLost(node, shard);
      return;
    }
    if (repliesStalled || dice.permille(lostReplies)) {
      repliesStalled = true;
      world.replyLost(node, shard);
      lastFault = world.now();
      return;
    }
    repliesArriveFrom = Math.max(repliesArriveFrom, world.now() + travel(dice));
    world.at(repliesArriveFrom, () -> node.run(() -> reply(execution, message, epoch)));
  }

  private void reply(World.Execution execution, long message, long epoch) {
    if (epoch != connection) {
      world.replyLost(node, shard);
      return;
    }
    lastReply = world.now();
    var future = pending.remove(message);
    if (future != null) world.whileReading(execution, () -> future.complete(execution.reply()));
  }

  private void resetIfUnanswered(long message, long sent, long epoch) {
    if (epoch != connection || lastReply >= sent || !pending.containsKey(message)) return;
    node.run(() -> {
      if (epoch != connection || lastReply >= sent || !pending.containsKey(message)) return;
      reset();
      refusedUntil = world.now() + RECONNECT;
    });
  }

  /** Closes the connection. Pending requests fail, whether the server received them or not. */
  void reset() {
    connection++;
    stalled = false;
    repliesStalled = false;
    lastFault = world.now();
    List<CompletableFuture<byte[]>> all = new ArrayList<>(pending.values());
    pending.clear();
    for (var future : all) {
      node.run(() -> future.completeExceptionally(noConnection()));
    }
  }

  void refuse(boolean refused) {
    this.refused = refused;
    lastFault = world.now();
    if (refused) reset();
    update();
  }

  void setFault(int lostRequests, int lostReplies, int duplicated, long delay) {
    this.lostRequests = lostRequests;
    this.lostReplies = lostReplies;
    this.duplicated = duplicated;
    this.delay = delay;
    lastFault = world.now();
    update();
  }

  private static StoreException noConnection() {
    return new StoreException(Kind.CONNECTION, "connection lost", null);
  }
}
