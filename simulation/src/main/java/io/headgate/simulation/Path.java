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
 * The connection of one instance to one server. In order, as TCP is: from the first message that is
 * lost on, none arrives until the client gives the connection up and makes another.
 */
final class Path {
  private static final long SILENCE = 1_000_000; // after which the client gives a connection up
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
  private boolean stalled; // nothing more arrives there by this connection
  private boolean repliesStalled;
  private boolean refused;
  private long refusedUntil;
  private int lostRequests;
  private int lostReplies;
  private int twice;
  private long delay;
  long lastTrouble = Long.MIN_VALUE / 2;
  private static final long PAUSE = 5_000_000; // between two troubles that are two

  private boolean troubled;
  private long troubledSince = Long.MIN_VALUE / 2;
  private long troubledUntil = Long.MIN_VALUE / 2;

  Path(World world, Node node, int shard) {
    this.world = world;
    this.node = node;
    this.shard = shard;
  }

  private Shard server() {
    return world.shard(shard);
  }

  /** Whether nothing has been wrong for so long. */
  boolean isWellFor(long micros) {
    long since = Math.max(lastTrouble, server().lastTrouble);
    return !isTroubled() && world.now() - since >= micros;
  }

  private boolean isTroubled() {
    boolean weather = lostRequests + lostReplies + twice > 0 || delay > 0;
    return refused || weather || server().dead || node.isPaused();
  }

  /** To be called when something has changed here, at the server or at the instance. */
  void update() {
    boolean before = troubled;
    troubled = isTroubled();
    if (troubled == before) return;
    if (!troubled) troubledUntil = world.now();
    else if (world.now() - troubledUntil > PAUSE) troubledSince = world.now();
  }

  /** How long it has not been well; a short time between two troubles does not count. */
  long troubledFor() {
    boolean over = !troubled && world.now() - troubledUntil > PAUSE;
    return over ? 0 : world.now() - troubledSince;
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
      world.lost(node, shard);
      lastTrouble = world.now();
    } else {
      requestsArriveFrom = Math.max(requestsArriveFrom, sent + travel(dice));
      world.at(requestsArriveFrom, () -> arrive(keys, argument, message, epoch, dice));
      if (dice.permille(twice)) {
        world.at(
            requestsArriveFrom + dice.below(2_000),
            () -> arrive(keys, argument, NOT_AWAITED, epoch, dice));
      }
    }
    world.at(sent + SILENCE, () -> giveUpIfSilent(message, sent, epoch));
    return future;
  }

  private boolean isRefused() {
    return refused || world.now() < refusedUntil || (server().dead && !server().silent);
  }

  private long travel(Dice dice) {
    long latency = world.latency();
    return dice.between(latency / 5, latency) + (delay == 0 ? 0 : dice.below(delay));
  }

  private void arrive(byte[][] keys, byte[] argument, long message, long epoch, Dice dice) {
    var server = server();
    if (server.dead && !server.silent) return;
    server.whenFree(
        keys.length,
        () -> {
          var ran = world.run(shard, keys, argument);
          if (epoch != connection) {
            world.unheard(node, shard);
            return;
          }
          if (repliesStalled || dice.permille(lostReplies)) {
            repliesStalled = true;
            world.unheard(node, shard);
            lastTrouble = world.now();
            return;
          }
          repliesArriveFrom = Math.max(repliesArriveFrom, world.now() + travel(dice));
          world.at(repliesArriveFrom, () -> node.run(() -> reply(ran, message, epoch)));
        });
  }

  private void reply(World.Ran ran, long message, long epoch) {
    if (epoch != connection) {
      world.unheard(node, shard);
      return;
    }
    lastReply = world.now();
    var future = pending.remove(message);
    if (future != null) world.whileReading(ran, () -> future.complete(ran.reply()));
  }

  private void giveUpIfSilent(long message, long sent, long epoch) {
    if (epoch != connection || lastReply >= sent || !pending.containsKey(message)) return;
    node.run(() -> {
      if (epoch != connection || lastReply >= sent || !pending.containsKey(message)) return;
      reset();
      refusedUntil = world.now() + RECONNECT;
    });
  }

  /** Ends the connection: what was under way has failed, whether it was heard or not. */
  void reset() {
    connection++;
    stalled = false;
    repliesStalled = false;
    lastTrouble = world.now();
    List<CompletableFuture<byte[]>> all = new ArrayList<>(pending.values());
    pending.clear();
    for (var future : all) {
      node.run(() -> future.completeExceptionally(noConnection()));
    }
  }

  void refuse(boolean refused) {
    this.refused = refused;
    lastTrouble = world.now();
    if (refused) reset();
    update();
  }

  void weather(int lostRequests, int lostReplies, int twice, long delay) {
    this.lostRequests = lostRequests;
    this.lostReplies = lostReplies;
    this.twice = twice;
    this.delay = delay;
    lastTrouble = world.now();
    update();
  }

  private static StoreException noConnection() {
    return new StoreException(Kind.CONNECTION, "the connection was lost", null);
  }
}
