package io.headgate.system.endurance;

import io.headgate.system.HeadgateProcess;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Two instances with one store, under load for a time. In its middle one of them is replaced; all
 * along rules change and the store is interrupted. What the other one holds is compared from after
 * the warm-up to the end; of the new one, from after its own warm-up.
 */
final class EnduranceRun implements AutoCloseable {
  /**
   * The load and the times of a run.
   *
   * @param time of the load without the starts of processes
   * @param brief whether processes start as those of other tests, which takes less CPU
   */
  record Settings(TestedStore.Kind store, String heap, Duration time, boolean brief, long seed) {
    static final String DEFAULT_HEAP = "default";

    List<String> jvmOptions() {
      var options = new ArrayList<>(brief ? HeadgateProcess.cheapStart() : List.of());
      options.add("-XX:+ExitOnOutOfMemoryError");
      if (!heap.equals(DEFAULT_HEAP)) options.add("-Xmx" + heap);
      return options;
    }
  }

  private static final long OUTAGE_MILLIS = 1_500;
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  private final Settings settings;
  private final Consumer<String> progress;
  private final SplittableRandom random;
  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(2));
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final TestedStore store;
  private final List<Instance> instances = new ArrayList<>();
  private final AtomicBoolean disturbance = new AtomicBoolean(true);
  private final AtomicLong strictAdmitted = new AtomicLong();
  private final Map<String, Tally> tallies = new LinkedHashMap<>();
  private long windows;
  private long activeSince;
  private int lostWindows;
  private int revision;
  private final long begun = System.nanoTime();

  EnduranceRun(Settings settings, Path folder, Consumer<String> progress) throws IOException {
    this.settings = settings;
    this.progress = progress;
    this.random = new SplittableRandom(settings.seed);
    for (var protocol : Instance.Protocol.values()) {
      tallies.put(protocol.title, new Tally(protocol.title, disturbance, strictAdmitted));
    }
    this.store = settings.store.start();
    try {
      for (int i = 0; i < 2; i++) {
        var own = Files.createDirectories(folder.resolve("instance" + i));
        Files.writeString(own.resolve("rules.yaml"), Keys.RULES);
        instances.add(new Instance(own, settings.jvmOptions(), store.options(i), vertx, clock));
      }
    } catch (RuntimeException | Error | IOException e) {
      close();
      throw e;
    }
  }

  /** Runs all phases. */
  EnduranceResult run() throws IOException, InterruptedException {
    var first = instances.get(0);
    var second = instances.get(1);
    for (var instance : instances) instance.awaitReady();
    for (var instance : instances) instance.awaitStore();
    for (var instance : instances) instance.connect(tallies, random);
    var sixth = settings.time.dividedBy(6);
    start();
    load("warm-up", sixth, false);
    var firstStart = snapshot("warm-up", first);
    start();
    load("load", sixth.multipliedBy(2), true);
    replace(second);
    load("warm-up of the new instance", sixth, true);
    var secondStart = snapshot("new instance", second);
    start();
    load("load", sixth.multipliedBy(2), true);
    pause();
    var extra = new ArrayList<String>();
    for (var instance : instances) extra.addAll(instance.extraConnections());
    return new EnduranceResult(
        settings,
        List.copyOf(tallies.values()),
        strictAdmitted.get(),
        bound(),
        List.of(
            new EnduranceResult.Held("kept", firstStart, first.settled(firstStart)),
            new EnduranceResult.Held("replaced", secondStart, second.settled(secondStart))),
        extra);
  }

  /** The strict limit for each window with calls, of each store; and for windows that were lost. */
  private long bound() {
    return Keys.STRICT_LIMIT * (windows * (store.isShared() ? 1 : 2) + lostWindows);
  }

  private void start() {
    activeSince = seconds();
    instances.forEach(Instance::start);
  }

  private void pause() {
    instances.forEach(Instance::pause);
    windows += seconds() - activeSince + 1;
  }

  private static long seconds() {
    return System.currentTimeMillis() / 1_000;
  }

  private Resources snapshot(String after, Instance instance) {
    pause();
    var resources = instance.settled();
    report(after + " is over; the heap has %,d bytes".formatted(resources.heap()));
    return resources;
  }

  /**
   * Lets the load go on, with changes of the rules and interruptions of the store.
   *
   * @param counts whether refused and late calls count, since the JVM is warm
   */
  private void load(String phase, Duration time, boolean counts)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    do {
      long pause = Math.clamp((end - System.nanoTime()) / 3, 0, MAX_PAUSE.toNanos());
      disturbance.set(!counts);
      TimeUnit.NANOSECONDS.sleep(pause);
      revision++;
      for (var instance : instances) instance.changeRule(revision);
      TimeUnit.NANOSECONDS.sleep(pause);
      interrupt();
      disturbance.set(!counts);
      TimeUnit.NANOSECONDS.sleep(Math.clamp(end - System.nanoTime(), 0, pause));
      report(phase);
    } while (System.nanoTime() < end);
  }

  private void interrupt() throws InterruptedException {
    if (settings.store == TestedStore.Kind.MEMORY) return;
    disturbance.set(true);
    lostWindows += store.interrupt(random, instances.get(1));
    try {
      Thread.sleep(OUTAGE_MILLIS);
    } finally {
      store.recover(instances.get(1));
    }
    for (var instance : instances) instance.awaitStore();
  }

  /** Replaces one instance while the other goes on. */
  private void replace(Instance instance) throws InterruptedException {
    disturbance.set(true);
    instance.pause();
    instance.replace();
    if (!store.isShared()) lostWindows++;
    instance.awaitReady();
    for (var each : instances) each.awaitStore();
    instance.connect(tallies, random);
    instance.start();
    report("the second instance is replaced");
  }

  private void report(String phase) {
    long calls = 0;
    long refused = 0;
    long late = 0;
    for (var tally : tallies.values()) {
      calls += tally.calls.get();
      refused += tally.refused.get();
      late += tally.late.get();
    }
    progress.accept(
        "%s, heap %s, %3d s: %,d calls, %d refused, %d late; %s"
            .formatted(
                settings.store,
                settings.heap,
                (System.nanoTime() - begun) / 1_000_000_000,
                calls,
                refused,
                late,
                phase));
  }

  @Override
  public void close() {
    instances.forEach(Instance::close);
    clock.shutdownNow();
    vertx.close();
    store.close();
  }
}
