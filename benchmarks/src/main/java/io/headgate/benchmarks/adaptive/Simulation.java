package io.headgate.benchmarks.adaptive;

import io.headgate.load.CallOutcome;
import io.headgate.load.LoadSignal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Runs a policy on a plant in virtual time: a function of both and a seed. */
final class Simulation {
  private static final double TICK = 0.01;
  private static final double EPOCH = 1_700_000_000; // seconds; policies see realistic times
  private static final double REJECTION = 0.001; // seconds until a full backend's answer
  private static final double BACKOFF = 0.1;

  private record Retry(double at, Job job) {}

  private record Report(double at, LoadSignal signal) {}

  private final Plant plant;
  private final AdmissionPolicy policy;
  private final Backend backend;
  private final SplittableRandom arrivals;
  private final SplittableRandom works;
  private final SplittableRandom backoffs;
  private final SplittableRandom callers;
  private final ArrayDeque<Job> deadlines = new ArrayDeque<>();
  private final PriorityQueue<Retry> retries =
      new PriorityQueue<>(Comparator.comparingDouble(Retry::at));
  private final ArrayDeque<Report> reports = new ArrayDeque<>();
  private final RunRecorder recorder;

  private double now;
  private int inFlight;

  private Simulation(Plant plant, AdmissionPolicy policy, long seed) {
    this.plant = plant;
    this.policy = policy;
    this.backend = new Backend(plant);
    var root = new SplittableRandom(seed);
    this.arrivals = root.split();
    this.works = root.split();
    this.backoffs = root.split();
    this.callers = root.split();
    this.recorder = new RunRecorder(plant);
  }

  static RunResult run(Plant plant, AdmissionPolicy policy, long seed) {
    return new Simulation(plant, policy, seed).run();
  }

  private RunResult run() {
    double nextArrival = gap();
    double nextTick = TICK;
    long ticks = 0;
    while (now < plant.seconds()) {
      while (!deadlines.isEmpty() && deadlines.peek().isReleased) deadlines.poll();
      double end = backend.nextEnd();
      double deadline =
          deadlines.isEmpty() ? Double.MAX_VALUE : deadlines.peek().arrived + plant.timeout();
      double retry = retries.isEmpty() ? Double.MAX_VALUE : retries.peek().at;
      now = Math.min(Math.min(Math.min(end, deadline), Math.min(retry, nextTick)), nextArrival);
      if (now == end) {
        end();
      } else if (now == deadline) {
        release(deadlines.poll(), CallOutcome.DROPPED);
      } else if (now == retry) {
        var job = retries.poll().job;
        arrive(new Job(job.tenant, job.caller, now, job.attempt + 1));
      } else if (now == nextArrival) {
        nextArrival = now + gap();
        int tenant = tenant();
        arrive(new Job(tenant, callers.nextInt(plant.tenants().get(tenant).callers()), now, 0));
      } else {
        backend.tick(now);
        recorder.tick(now, inFlight);
        ticks++;
        if (ticks % 100 == 0) report();
        nextTick = (ticks + 1) * TICK;
      }
    }
    return recorder.result();
  }

  private double gap() {
    return -StrictMath.log(1 - arrivals.nextDouble()) / Math.max(1e-6, plant.offered(now));
  }

  private int tenant() {
    double at = arrivals.nextDouble();
    int last = plant.tenants().size() - 1;
    for (int i = 0; i < last; i++) {
      at -= plant.tenants().get(i).share();
      if (at < 0) return i;
    }
    return last;
  }

  private void arrive(Job job) {
    recorder.arrived(now, job);
    var sender = plant.tenants().get(job.tenant);
    if (!policy.admits(sender, job.tenant, job.caller, micros(now), inFlight)) {
      recorder.refused(now, job);
      retryLater(job);
      return;
    }
    recorder.admitted(now, job);
    inFlight++;
    job.hangs = works.nextDouble() < plant.hanging().at(now);
    job.work = job.hangs ? plant.hangTime() : plant.service().sample(works);
    if (backend.offer(job, now)) {
      deadlines.add(job);
    } else {
      now += REJECTION / 1e3; // negligible, so that a rejection has a duration
      release(job, CallOutcome.DROPPED);
    }
  }

  private void end() {
    var job = backend.end(now);
    if (job == null || job.isReleased) return; // the client has gone
    release(job, job.hangs ? CallOutcome.DROPPED : CallOutcome.SUCCESS);
  }

  private void release(Job job, CallOutcome outcome) {
    job.isReleased = true;
    policy.completed(micros(now), Math.round((now - job.arrived) * 1e6), inFlight, outcome);
    inFlight--;
    recorder.completed(now, job, outcome);
    if (outcome != CallOutcome.SUCCESS) retryLater(job);
  }

  private void retryLater(Job job) {
    if (job.attempt >= plant.retries()) return;
    retries.add(new Retry(now + BACKOFF * (0.5 + backoffs.nextDouble()), job));
  }

  private void report() {
    double workers = plant.workers().at(now);
    var signal =
        LoadSignal.ofUtilization(Math.min(1, backend.takeBusy() / workers))
            .withInFlight(backend.takePresent(1))
            .withCapacity(2 * workers) // as many may wait as are served
            .withQueueWait(Duration.ofNanos(Math.round(backend.takeWait() * 1e9)));
    reports.add(new Report(now + plant.staleness(), signal));
    while (!reports.isEmpty() && reports.peek().at <= now) {
      policy.reported(micros(now), reports.poll().signal);
    }
  }

  private static long micros(double seconds) {
    return Math.round((EPOCH + seconds) * 1e6);
  }
}
