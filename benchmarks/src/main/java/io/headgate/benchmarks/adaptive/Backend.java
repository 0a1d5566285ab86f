package io.headgate.benchmarks.adaptive;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a plant. Each request in service progresses at one common speed, so a request ends
 * when the common progress has advanced by its work.
 */
final class Backend {
  private final Plant plant;
  private final PriorityQueue<Job> serving =
      new PriorityQueue<>(Comparator.comparingDouble(job -> job.endsAtProgress));
  private final ArrayDeque<Job> waiting = new ArrayDeque<>();

  private double time;
  private double progress;
  private double speed;
  private double busy; // worker seconds
  private double present; // request seconds
  private double waited; // seconds
  private long started;

  Backend(Plant plant) {
    this.plant = plant;
    settle();
  }

  /** Starts or queues a job; returns false if the queue is full. */
  boolean offer(Job job, double now) {
    advance(now);
    if (plant.isShared() || serving.size() < workers()) {
      start(job);
    } else if (waiting.size() < plant.queue()) {
      waiting.add(job);
    } else {
      return false;
    }
    settle();
    return true;
  }

  /** Returns when the next job ends if nothing happens before; infinity if none does. */
  double nextEnd() {
    var next = serving.peek();
    if (next == null || speed == 0) return Double.POSITIVE_INFINITY;
    return time + Math.max(0, next.endsAtProgress - progress) / speed;
  }

  /** Ends the job that {@link #nextEnd} refers to. */
  @Nullable Job end(double now) {
    advance(now);
    var job = serving.poll();
    settle();
    return job;
  }

  /** Applies a change of the conditions. */
  void tick(double now) {
    advance(now);
    settle();
  }

  /** Returns the worker seconds in use since the last call. */
  double takeBusy() {
    double taken = busy;
    busy = 0;
    return taken;
  }

  /** Returns the mean number of requests that waited or were served since the last call. */
  double takePresent(double seconds) {
    double taken = present / seconds;
    present = 0;
    return taken;
  }

  /** Returns the mean time that the requests started since the last call have waited. */
  double takeWait() {
    double head = waiting.isEmpty() ? 0 : time - waiting.peek().arrived;
    double taken = started == 0 ? head : waited / started;
    waited = 0;
    started = 0;
    return taken;
  }

  private void start(Job job) {
    waited += time - job.arrived;
    started++;
    job.endsAtProgress = progress + job.work;
    serving.add(job);
  }

  private double workers() {
    return plant.workers().at(time);
  }

  private void advance(double now) {
    double passed = now - time;
    progress += speed * passed;
    busy += Math.min(serving.size(), workers()) * passed;
    present += (serving.size() + waiting.size()) * passed;
    time = now;
  }

  private void settle() {
    double workers = workers();
    while (!waiting.isEmpty() && serving.size() < workers) start(waiting.poll());
    speed = plant.isPaused(time) ? 0 : 1 / plant.slowdown().at(time);
    if (plant.isShared() && serving.size() > workers) {
      double excess = (serving.size() - workers) / workers;
      speed *= workers / serving.size() / (1 + plant.thrashing() * excess);
    }
  }
}
