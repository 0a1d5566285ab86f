package io.headgate.internal.shedding;

import io.headgate.load.LoadSignal;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.BackendLevel;
import io.headgate.store.LevelListener;
import io.headgate.store.LoadReading;
import io.headgate.store.SignalReport;
import io.headgate.store.SignalStore;
import io.headgate.store.Ticker;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Drops requests while a backend is overloaded, by the levels that this instance last read from the
 * store. Reports and readings are exchanged by {@link #sync}.
 *
 * <p>Holds at most {@link #MAX_BACKENDS} levels. A further backend replaces one without reports, so
 * that invented names do not displace a backend that reports; requests of backends that find no
 * place pass. Thread-safe.
 */
public final class Shedder {
  /** The highest number of levels. */
  static final int MAX_BACKENDS = 1_024;

  /** How long a level without requests and reports is kept. */
  private static final long IDLE_MICROS = 60_000_000;

  private static final long TIMEOUT_MILLIS = 2_000;
  private static final long SEED_MASK = (1L << 53) - 1;

  private final SignalStore store;
  private final Ticker ticker;
  private final long seed = new SecureRandom().nextLong() & SEED_MASK;
  private final Map<Backend, BackendLoad> backends = new ConcurrentHashMap<>();
  private volatile LevelListener listener = LevelListener.NONE;

  private record Backend(Counter counter, String key) {
    /** A keyed hash, since callers choose keys. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  /** Creates a shedder without levels. */
  public Shedder(SignalStore store, Ticker ticker) {
    this.store = store;
    this.ticker = ticker;
  }

  /** Sets the listener of levels that rise above 0 or return to it. */
  public void listener(LevelListener listener) {
    this.listener = listener;
  }

  /**
   * Returns the plan of a request, without charges if a rule drops the request.
   *
   * @param counted whether the request counts for the mix of the traffic; false for a peek
   */
  public Plan apply(Plan plan, Subject subject, boolean counted) {
    var parts = plan.parts();
    var result = plan;
    for (int i = 0; i < parts.size(); i++) {
      var counter = parts.get(i).shedding();
      if (counter == null) continue;
      var backend = find(counter, counter.keyOf(subject));
      if (backend == null) continue;
      if (!backend.isShedding()) {
        if (counted) backend.countAdmitted(subject);
        continue;
      }
      long now = ticker.micros();
      if (backend.needsRefresh(now)) refresh(backend, now);
      long wait = backend.waitOf(subject, now, counted);
      if (wait == 0) continue;
      result = result.dropped(i, wait);
      if (parts.get(i).isEnforced()) return result;
    }
    return result;
  }

  /** Returns the plan of a request with the present rates of limits that follow a signal. */
  public Plan tune(Plan plan) {
    return plan.tuned(this::tune);
  }

  /** Returns the counter of a charge with the present rate of a limit that follows a signal. */
  public Counter tune(Charge charge) {
    var backend = find(charge.counter(), charge.key());
    if (backend == null) return charge.counter();
    long now = ticker.micros();
    if (backend.needsRefresh(now)) refresh(backend, now);
    return backend.tuned();
  }

  @SuppressWarnings("ReferenceEquality") // the limit of the same revision of the rule
  private @Nullable BackendLoad find(Counter counter, String key) {
    var name = new Backend(counter, key);
    var found = backends.get(name);
    return found != null && found.counter().limit() == counter.limit() ? found : add(name);
  }

  /** Adds a level, or replaces one of an earlier revision of the rule. */
  @SuppressWarnings("ReferenceEquality") // as in find
  private @Nullable BackendLoad add(Backend name) {
    if (backends.size() >= MAX_BACKENDS && !backends.containsKey(name) && !evict()) return null;
    long now = ticker.micros();
    return backends.compute(
        name,
        (same, known) -> {
          if (known != null && known.counter().limit() == name.counter.limit()) return known;
          var fresh = new BackendLoad(name.counter, name.key, now);
          if (known != null) fresh.adopt(known, now);
          return fresh;
        });
  }

  /**
   * Removes a level without reports; returns false if all have some. Examines all levels if need
   * be: the order of the map is constant, so the first of them are soon those with reports.
   */
  private boolean evict() {
    return backends.entrySet().stream() // in the order of keyed hashes
        .filter(entry -> !entry.getValue().isReported())
        .findFirst()
        .map(entry -> backends.remove(entry.getKey(), entry.getValue()))
        .orElse(false);
  }

  /** Explains how the rule treats requests of the subject; empty if there are too many backends. */
  public Optional<Explanation> explain(Counter counter, Subject subject) {
    var backend = find(counter, counter.keyOf(subject));
    if (backend == null) return Optional.empty();
    long now = ticker.micros();
    long wait = backend.isShedding() ? backend.waitOf(subject, now, false) : 0;
    return Optional.of(new Explanation(backend.level(now), backend.priority(subject), wait));
  }

  /**
   * How a rule treats the requests of a subject.
   *
   * @param level the level of the backend
   * @param priority the priority of the requests; empty if the rule has no priorities
   * @param retryAfter the time after which a request may pass, in microseconds; 0 if it passes now
   */
  public record Explanation(BackendLevel level, String priority, long retryAfter) {}

  /**
   * Queues a signal for every rule that sheds load and matches the subject.
   *
   * @param reporter identifies the instance of the backend
   * @return the number of rules that use the signal
   */
  public int report(RuleSet rules, Subject subject, String reporter, LoadSignal signal) {
    long id = reporterId(reporter);
    int used = 0;
    for (var level : rules.signalled(subject)) {
      var backend = find(level.counter(), level.key());
      if (backend == null) continue;
      var value = backend.policy().signal().of(signal);
      if (value.isEmpty()) continue;
      double weight = signal.capacity().orElse(1);
      var pending = new BackendLoad.Pending(value.getAsDouble(), weight);
      backend.report(id, pending, ticker.micros());
      used++;
    }
    return used;
  }

  /**
   * Sends all queued signals and reads the levels in use. A level that can't be read stays, and
   * fades.
   *
   * @return completes when the store has replied or failed
   */
  public CompletableFuture<Void> sync() {
    sweep(ticker.micros());
    return exchange(backend -> true);
  }

  /**
   * Sends the queued signals only.
   *
   * @return completes when the store has replied or failed
   */
  public CompletableFuture<Void> flush() {
    return exchange(backend -> false);
  }

  private CompletableFuture<Void> exchange(Predicate<BackendLoad> reads) {
    var calls = new ArrayList<CompletableFuture<?>>();
    for (var backend : backends.values()) {
      var signals = backend.takePending();
      for (var signal : signals.entrySet()) {
        calls.add(update(backend, store.report(reportOf(backend, signal))));
      }
      if (signals.isEmpty() && reads.test(backend)) {
        calls.add(update(backend, store.read(backend.counter(), backend.key())));
      }
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new));
  }

  private SignalReport reportOf(BackendLoad backend, Map.Entry<Long, BackendLoad.Pending> signal) {
    var pending = signal.getValue();
    return new SignalReport(
        backend.counter(),
        backend.key(),
        backend.policy().setpoint(),
        signal.getKey(),
        pending.value(),
        pending.weight(),
        seed);
  }

  private CompletableFuture<?> update(BackendLoad backend, CompletionStage<LoadReading> call) {
    return call.toCompletableFuture()
        .copy()
        .orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .handle((reading, failure) -> {
          long now = ticker.micros();
          boolean before = backend.isShedding();
          if (failure == null) backend.update(reading, now);
          else backend.refresh(now);
          notifyOf(backend, before, now);
          return backend;
        });
  }

  private void refresh(BackendLoad backend, long now) {
    boolean before = backend.isShedding();
    backend.refresh(now);
    notifyOf(backend, before, now);
  }

  private void notifyOf(BackendLoad backend, boolean before, long now) {
    boolean isTuned = backend.counter().tuning().isPresent();
    boolean changed = isTuned ? backend.isRateChanged() : backend.isShedding() != before;
    if (changed) listener.onChange(backend.level(now));
  }

  private void sweep(long now) {
    backends
        .values()
        .removeIf(backend -> !backend.isShedding() && now - backend.usedAt() > IDLE_MICROS);
  }

  /** Removes the levels of rules that no longer follow a signal. */
  public void retain(RuleSet rules) {
    var shedding =
        rules.rules().stream()
            .filter(rule -> rule.mode() != Mode.OFF)
            .filter(rule -> rule.sheds() || rule.isTuned())
            .map(Rule::id)
            .collect(Collectors.toSet());
    backends.keySet().removeIf(backend -> !shedding.contains(backend.counter.rule()));
  }

  /** Returns the levels in use, ordered by rule and backend. */
  public List<BackendLevel> levels() {
    long now = ticker.micros();
    return backends.values().stream()
        .map(backend -> backend.level(now))
        .sorted(Comparator.comparing(BackendLevel::rule).thenComparing(BackendLevel::backend))
        .toList();
  }

  private static long reporterId(String reporter) {
    try {
      var hash =
          MessageDigest.getInstance("SHA-256").digest(reporter.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(hash).getLong() & SEED_MASK;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
