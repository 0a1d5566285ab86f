package io.headgate.benchmarks.adaptive;

import java.util.List;
import java.util.function.Consumer;

/** A server and its traffic. Created by {@link Plants}; each method returns a changed copy. */
final class Plant {
  /**
   * A sender of requests.
   *
   * @param share its part of the offered requests
   * @param priority 0 is the most important
   * @param callers how many callers send its requests, all equally many
   */
  record Tenant(double share, int priority, int callers) {
    private static final int CALLERS = 2_000;

    Tenant(double share, int priority) {
      this(share, priority, CALLERS);
    }
  }

  private String name;

  /** Whether all requests are served at once, each at its share of the workers. */
  private boolean isShared; // otherwise they wait first-in first-out

  private Curve workers;
  private ServiceTime service;

  /** Multiplies the work of all requests. */
  private Curve slowdown = Curve.constant(1);

  private double pauseEvery; // seconds; 0 for no pauses
  private double pauseLength;

  /** The loss of speed per request in service above the workers, relative to them. */
  private double thrashing;

  /** How many requests the server lets wait; it rejects more of them. */
  private int queue = Integer.MAX_VALUE;

  /** The share of requests that hang until {@code hangTime} and fail. */
  private Curve hanging = Curve.constant(0);

  private double hangTime;

  /** The offered requests, relative to the capacity at the start. */
  private Curve load = Curve.constant(3);

  /** Seconds after which the client abandons a request, on which the server works on. */
  private double timeout = 1;

  /** How often a client repeats a request that was refused or dropped. */
  private int retries;

  private List<Tenant> tenants = List.of(new Tenant(1, 0));

  /** Seconds by which reports of the load are late. */
  private double staleness;

  private double seconds = 60;
  private double warmUp = 10; // not measured

  /** When the conditions change; 0 if they do not. */
  private double disturbedAt;

  private Plant(String name, Curve workers, ServiceTime service) {
    this.name = name;
    this.workers = workers;
    this.service = service;
  }

  /** Returns a plant that waits first-in first-out, at three times its capacity. */
  static Plant of(String name, int workers, ServiceTime service) {
    return new Plant(name, Curve.constant(workers), service);
  }

  Plant named(String name) {
    return changed(copy -> copy.name = name);
  }

  Plant shared() {
    return changed(copy -> copy.isShared = true);
  }

  Plant withWorkers(Curve workers, double disturbedAt) {
    return changed(copy -> {
      copy.workers = workers;
      copy.disturbedAt = disturbedAt;
    });
  }

  Plant withSlowdown(Curve slowdown, double disturbedAt) {
    return changed(copy -> {
      copy.slowdown = slowdown;
      copy.disturbedAt = disturbedAt;
    });
  }

  Plant withLoad(Curve load, double disturbedAt) {
    return changed(copy -> {
      copy.load = load;
      copy.disturbedAt = disturbedAt;
    });
  }

  Plant withTimeout(double timeout) {
    return changed(copy -> copy.timeout = timeout);
  }

  Plant withTenants(List<Tenant> tenants) {
    return changed(copy -> copy.tenants = List.copyOf(tenants));
  }

  Plant withPauses(double every, double length) {
    return changed(copy -> {
      copy.pauseEvery = every;
      copy.pauseLength = length;
    });
  }

  Plant withThrashing(double thrashing) {
    return changed(copy -> copy.thrashing = thrashing);
  }

  Plant withQueue(int queue) {
    return changed(copy -> copy.queue = queue);
  }

  Plant withHanging(Curve hanging, double hangTime) {
    return changed(copy -> {
      copy.hanging = hanging;
      copy.hangTime = hangTime;
    });
  }

  Plant withRetries(int retries) {
    return changed(copy -> copy.retries = retries);
  }

  Plant withStaleness(double staleness) {
    return changed(copy -> copy.staleness = staleness);
  }

  Plant lasting(double seconds) {
    return changed(copy -> copy.seconds = seconds);
  }

  Plant withWarmUp(double warmUp) {
    return changed(copy -> copy.warmUp = warmUp);
  }

  /** Returns this plant at a fifth of its capacity at each moment, without hanging requests. */
  Plant unloaded() {
    Curve fifth = at -> 0.2 * capacity(at) / capacity(0);
    return withHanging(Curve.constant(0), 0).withRetries(0).withLoad(fifth, 0);
  }

  /** Returns the requests per second that the workers can complete. */
  double capacity(double at) {
    double hang = hanging.at(at);
    double work = (1 - hang) * service.mean() * slowdown.at(at) + hang * hangTime;
    double up = pauseEvery > 0 ? 1 - pauseLength / pauseEvery : 1;
    return workers.at(at) * up * (1 - hang) / work;
  }

  /** Returns the requests per second that clients send, retries apart. */
  double offered(double at) {
    return load.at(at) * capacity(0);
  }

  boolean isPaused(double at) {
    return pauseEvery > 0 && at % pauseEvery >= pauseEvery - pauseLength;
  }

  String name() {
    return name;
  }

  boolean isShared() {
    return isShared;
  }

  Curve workers() {
    return workers;
  }

  ServiceTime service() {
    return service;
  }

  Curve slowdown() {
    return slowdown;
  }

  double thrashing() {
    return thrashing;
  }

  int queue() {
    return queue;
  }

  Curve hanging() {
    return hanging;
  }

  double hangTime() {
    return hangTime;
  }

  double timeout() {
    return timeout;
  }

  int retries() {
    return retries;
  }

  List<Tenant> tenants() {
    return tenants;
  }

  boolean hasPriorities() {
    return tenants.stream().anyMatch(tenant -> tenant.priority() > 0);
  }

  double staleness() {
    return staleness;
  }

  double seconds() {
    return seconds;
  }

  double warmUp() {
    return warmUp;
  }

  double disturbedAt() {
    return disturbedAt;
  }

  @Override
  public String toString() {
    return name;
  }

  private Plant changed(Consumer<Plant> change) {
    var copy = new Plant(name, workers, service);
    copy.isShared = isShared;
    copy.slowdown = slowdown;
    copy.pauseEvery = pauseEvery;
    copy.pauseLength = pauseLength;
    copy.thrashing = thrashing;
    copy.queue = queue;
    copy.hanging = hanging;
    copy.hangTime = hangTime;
    copy.load = load;
    copy.timeout = timeout;
    copy.retries = retries;
    copy.tenants = tenants;
    copy.staleness = staleness;
    copy.seconds = seconds;
    copy.warmUp = warmUp;
    copy.disturbedAt = disturbedAt;
    change.accept(copy);
    return copy;
  }
}
