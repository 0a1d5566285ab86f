package io.headgate.system.endurance;

import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.util.List;
import java.util.SplittableRandom;

/** The store of a run, with its servers if it has any. */
interface TestedStore extends AutoCloseable {
  /** The kinds of stores. */
  enum Kind {
    MEMORY,
    REDIS,
    REDIS_CLUSTER,
    CLUSTER;

    TestedStore start() {
      return switch (this) {
        case MEMORY -> new InMemory();
        case REDIS -> new OneRedis(RedisServer.start());
        case REDIS_CLUSTER -> new ManyRedis(RedisCluster.start(3, 0));
        case CLUSTER -> new Grid(FreePorts.find(2));
      };
    }

    /**
     * Returns how many objects of one class a reservation that has ended leaves in an instance for
     * ten minutes: its answer, in case the settlement is repeated. Of the reservations of both
     * instances, each has half in memory, and all in a cluster of two.
     */
    double objectsOfReservation() {
      return switch (this) {
        case MEMORY -> 1.25;
        case CLUSTER -> 3.25;
        case REDIS, REDIS_CLUSTER -> 0;
      };
    }

    /** Returns the memory of these objects. */
    double bytesOfReservation() {
      return 200 * objectsOfReservation();
    }

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }

  /** Returns the options of an instance. */
  List<String> options(int instance);

  /** Returns whether both instances share their counters. */
  default boolean isShared() {
    return true;
  }

  /**
   * Makes the store unavailable.
   *
   * @return how many windows of counters are lost
   */
  default int interrupt(SplittableRandom random, Instance replaced) {
    return 0;
  }

  /** Makes the store available again. */
  default void recover(Instance replaced) {}

  @Override
  default void close() {}

  /** The memory of each instance. */
  record InMemory() implements TestedStore {
    @Override
    public List<String> options(int instance) {
      return List.of("--store", "memory");
    }

    @Override
    public boolean isShared() {
      return false;
    }
  }

  /** One Redis, which is paused or, every third time, killed. */
  record OneRedis(RedisServer redis) implements TestedStore {
    @Override
    public List<String> options(int instance) {
      return List.of("--store", redis.uri());
    }

    @Override
    public int interrupt(SplittableRandom random, Instance replaced) {
      if (random.nextInt(3) > 0) {
        redis.pause();
        return 0;
      }
      redis.kill();
      return 1;
    }

    @Override
    public void recover(Instance replaced) {
      if (redis.isAlive()) redis.resume();
      else redis.restart();
    }

    @Override
    public void close() {
      redis.close();
    }
  }

  /** A Redis Cluster of three primaries, of which one is paused. */
  record ManyRedis(RedisCluster cluster) implements TestedStore {
    @Override
    public List<String> options(int instance) {
      return List.of("--store", cluster.uri());
    }

    @Override
    public int interrupt(SplittableRandom random, Instance replaced) {
      cluster.nodes().get(random.nextInt(cluster.nodes().size())).pause();
      return 0;
    }

    @Override
    public void recover(Instance replaced) {
      cluster.nodes().forEach(RedisServer::resume);
    }

    @Override
    public void close() {
      cluster.close();
    }
  }

  /** The instances themselves, of which one is stopped. */
  record Grid(List<Integer> ports) implements TestedStore {
    @Override
    public List<String> options(int instance) {
      return List.of(
          "--store",
          "cluster",
          "--cluster-port",
          Integer.toString(ports.get(instance)),
          "--join",
          "127.0.0.1:%d,127.0.0.1:%d".formatted(ports.get(0), ports.get(1)));
    }

    @Override
    public int interrupt(SplittableRandom random, Instance replaced) {
      replaced.signal("STOP");
      return 0;
    }

    @Override
    public void recover(Instance replaced) {
      replaced.signal("CONT");
    }
  }
}
