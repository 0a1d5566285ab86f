package io.headgate.server.cli.size;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.rule.Match;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.server.cli.size.Sizing.RedisNeeds;
import io.headgate.server.store.LayoutCounts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Computes keys, memory, CPU and network from rules and callers. The result is an upper bound: each
 * caller is counted under each rule, and every limit is decided in the store.
 */
public final class SizingCalculator {
  /** Heap of the service itself: connections, requests, rules, statistics. */
  private static final double BASE_HEAP = 256e6;

  /** Garbage collection needs free heap: as much as live. */
  private static final double HEAP_FACTOR = 2;

  /** Growth, and tables that are being resized, which exist twice. */
  private static final double REDIS_FACTOR = 1.5;

  private static final double MIN_REDIS = 64e6;

  /** The share of a core that checks may keep busy: latency rises above it. */
  private static final double BUSY = 0.6;

  private static final double KEYS_FACTOR = 1.25;

  /** A member keeps the counters that it owns in a quarter of its heap, and at most 2 GiB. */
  private static final double CLUSTER_SHARE = 0.25;

  private static final double CLUSTER_MAX = Integer.MAX_VALUE;
  private static final int MIN_REDIS_CLUSTER = 3;
  private static final int CONNECTIONS = 2;
  private static final double COMPRESSED_HEAP = 32L << 30;

  /** The CPU of a decision in the layout compact, relative to that in the layout separate. */
  private static final double SHARED_MICROS_FACTOR = 1.25;

  /** The length and line ends of an argument of less than 100 bytes. */
  private static final int ARGUMENT_OVERHEAD = 7;

  /** The bars and the id of an override in the name of a counter. */
  private static final int OVERRIDE_LENGTH = 14;

  private static final int MAX_NAMED = 3;

  private final MeasuredFigures figures = MeasuredFigures.load();
  private final StateModel model = new StateModel(figures);
  private final SizingRequest request;
  private final List<Rule> rules;
  private final KeyCount count;
  private final List<CounterSize> counters = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private SizingCalculator(SizingRequest request, List<Rule> rules) {
    this.request = request;
    this.rules = rules;
    this.count = new KeyCount(request, rules);
  }

  /**
   * Computes the result.
   *
   * @throws io.headgate.server.cli.output.CommandFailure if the request names a limit that does not
   *     exist
   */
  public static Sizing of(SizingRequest request, List<Rule> rules) {
    return new SizingCalculator(request, rules).result();
  }

  private Sizing result() {
    for (var rule : rules) add(rule);
    counters.sort(Comparator.comparingDouble(CounterSize::bytes).reversed());
    double keys = counters.stream().mapToDouble(CounterSize::keys).sum();
    double bytes = counters.stream().mapToDouble(CounterSize::bytes).sum();
    if (request.store() == SizedStore.REDIS) bytes += RedisMemory.tableBytes(keys);
    var redis = request.store() == SizedStore.REDIS ? redis(bytes) : RedisNeeds.NONE;
    return new Sizing(
        request,
        counters,
        keys,
        bytes,
        heap(bytes),
        request.store() == SizedStore.MEMORY ? maxKeys(keys) : 0,
        redis,
        (double) request.rate() / request.instances() * httpMicros() / 1e6,
        notes);
  }

  private void add(Rule rule) {
    Map<List<String>, SharedKeySize> shared = new LinkedHashMap<>();
    for (var limit : rule.limits()) add(rule, limit, Match.EVERYTHING, "", shared);
    for (var separate : rule.separateCounters()) {
      var override = rule.overrides().get(separate.override());
      var limit = override.limits().get(separate.limit());
      add(rule, limit, override.match(), " override " + (separate.override() + 1), shared);
    }
    shared.values().forEach(keys -> add(rule, keys));
  }

  /**
   * Adds the keys of a limit.
   *
   * @param shared the shared keys of the rule by attributes, which receive the state if it is one
   *     of theirs
   */
  private void add(
      Rule rule,
      RuleLimit limit,
      Match match,
      String suffix,
      Map<List<String>, SharedKeySize> shared) {
    if (!StateModel.hasState(limit.limit())) return;
    double keys = count.of(rule, limit, match);
    if (sharesKey(rule, limit) && addShared(rule, limit, !suffix.isEmpty(), keys, shared)) return;
    int length = keyLength(rule, limit);
    double bytes =
        model.bytes(
            request.store(),
            limit.limit(),
            request.usedPercent() / 100.0,
            count.tenants(rule, limit, keys),
            length,
            nameLength(rule, limit, length));
    counters.add(
        new CounterSize(
            KeyCount.policy(rule, limit) + suffix, limit.limit().algorithm().id(), keys, bytes));
  }

  private boolean addShared(
      Rule rule,
      RuleLimit limit,
      boolean ofOverride,
      double keys,
      Map<List<String>, SharedKeySize> shared) {
    int nameLength = limit.name().length() + (ofOverride ? OVERRIDE_LENGTH : 0);
    return shared
        .computeIfAbsent(
            rule.attributesOf(limit),
            attributes -> new SharedKeySize(sharedNameLength(rule, keyLength(rule, limit))))
        .add(
            new SharedKeySize.SharedState(
                limit.name(), keys, nameLength, textBytes(limit).orElseThrow()));
  }

  private void add(Rule rule, SharedKeySize shared) {
    var limits = shared.limits();
    var named = String.join(",", limits.subList(0, Math.min(MAX_NAMED, limits.size())));
    int more = limits.size() - MAX_NAMED;
    counters.add(
        new CounterSize(
            "%s/%s%s".formatted(rule.id(), named, more > 0 ? ",+" + more : ""),
            LayoutCounts.word(KeyLayout.COMPACT),
            shared.keys(),
            shared.bytes() / shared.keys()));
  }

  /** Returns whether the counters of a limit are in shared keys. */
  private boolean sharesKey(Rule rule, RuleLimit limit) {
    return request.layout() == KeyLayout.COMPACT
        && !limit.name().equals(rule.id())
        && textBytes(limit).orElse(Long.MAX_VALUE) <= SharedKeySize.MAX_TEXT;
  }

  private OptionalLong textBytes(RuleLimit limit) {
    return StateModel.textBytes(limit.limit(), request.usedPercent() / 100.0);
  }

  /** Returns the length of {@code headgate:{key}rule|}. */
  private static int sharedNameLength(Rule rule, int keyLength) {
    return RedisOptions.DEFAULT_PREFIX.length() + 2 + keyLength + rule.id().length() + 1;
  }

  /** Several attributes are joined, each preceded by its length and a colon. */
  private int keyLength(Rule rule, RuleLimit limit) {
    int attributes = rule.attributesOf(limit).size();
    int own = request.keyLength();
    if (attributes <= 1) return attributes * own;
    return attributes * (own + 1 + Integer.toString(own).length());
  }

  /** Returns the length of {@code headgate:{key}rule|limit}. */
  private static int nameLength(Rule rule, RuleLimit limit, int keyLength) {
    int name = RedisOptions.DEFAULT_PREFIX.length() + 2 + keyLength + rule.id().length();
    return limit.name().equals(rule.id()) ? name : name + 1 + limit.name().length();
  }

  private double heap(double bytes) {
    double live =
        switch (request.store()) {
          case MEMORY -> bytes;
          case REDIS -> 0;
          case CLUSTER -> bytes * (1 + request.backups()) / request.instances();
        };
    double heap = HEAP_FACTOR * live + BASE_HEAP;
    if (request.store() == SizedStore.CLUSTER) {
      double owned = bytes / request.instances();
      heap = Math.max(heap, KEYS_FACTOR * owned / CLUSTER_SHARE);
      if (owned > CLUSTER_MAX) {
        notes.add(
            "A member keeps at most %s of counters; use at least %d instances, or Redis."
                .formatted(QuantityText.bytes(CLUSTER_MAX), (long) Math.ceil(bytes / CLUSTER_MAX)));
      }
    }
    if (heap >= COMPRESSED_HEAP) {
      notes.add(
          "References take 8 bytes in a heap of 32 GiB and more: expect up to half as much again.");
    }
    return heap;
  }

  private long maxKeys(double keys) {
    if (request.instances() > 1) {
      notes.add(
          "Each instance counts for itself: the limits of all instances together are higher.");
    }
    double wanted = Math.ceil(keys * KEYS_FACTOR);
    if (wanted > Integer.MAX_VALUE) {
      notes.add("The memory store holds at most %,d keys; use Redis.".formatted(Integer.MAX_VALUE));
    }
    return (long) Math.min(Integer.MAX_VALUE, wanted);
  }

  private RedisNeeds redis(double bytes) {
    double micros = CheckCost.of(rules, this::micros);
    double network = CheckCost.of(rules, this::networkBytes);
    double cores = request.rate() * micros / 1e6;
    int primaries = (int) Math.max(1, Math.ceil(cores / BUSY));
    if (primaries > 1) {
      notes.add(
          "One Redis uses one core: %d primaries, each at most %d%% busy, need a Redis Cluster of at least %d."
              .formatted(primaries, Math.round(BUSY * 100), MIN_REDIS_CLUSTER));
      primaries = Math.max(MIN_REDIS_CLUSTER, primaries);
    }
    return new RedisNeeds(
        Math.max(MIN_REDIS, bytes * REDIS_FACTOR),
        micros,
        cores,
        primaries,
        network * request.rate(),
        primaries == 1 ? CONNECTIONS * request.instances() : 0);
  }

  private double micros(Rule rule, RuleLimit limit) {
    return model.micros(limit.limit()) * (sharesKey(rule, limit) ? SHARED_MICROS_FACTOR : 1);
  }

  /** A call carries the name of a shared key, of which each limit has a part. */
  private double networkBytes(Rule rule, RuleLimit limit) {
    double bytes = model.networkBytes(limit.limit());
    if (!sharesKey(rule, limit)) return bytes;
    long sharing =
        rule.limits().stream()
            .filter(other ->
                sharesKey(rule, other) && rule.attributesOf(other).equals(rule.attributesOf(limit)))
            .count();
    int name = sharedNameLength(rule, keyLength(rule, limit)) + ARGUMENT_OVERHEAD;
    return bytes + (double) name / Math.max(1, sharing);
  }

  private double httpMicros() {
    return switch (request.store()) {
      case MEMORY -> figures.get("http.memory.micros");
      case REDIS, CLUSTER -> figures.get("http.redis.micros");
    };
  }
}
