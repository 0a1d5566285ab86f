package io.headgate.benchmarks.adaptive;

import java.util.List;

/**
 * A server and its traffic. Created by {@link Plants}; each method returns a changed copy.
 *
 * @param name the row of the report
 * @param isShared whether all requests are served at once, each at its share of the workers;
 *     otherwise they wait first-in first-out
 * @param workers the number of workers
 * @param service the work of a request
 * @param slowdown multiplies the work of all requests
 * @param pauseEvery seconds between pauses in which no work is done; 0 for none
 * @param pauseLength seconds of a pause
 * @param thrashing the loss of speed per request in service above the workers, relative to them
 * @param queue how many requests the server lets wait; it rejects more of them
 * @param hanging the share of requests that hang until {@code hangTime} and fail
 * @param hangTime seconds after which a hanging request fails
 * @param load the offered requests, relative to the capacity at the start
 * @param timeout seconds after which the client abandons a request, on which the server works on
 * @param retries how often a client repeats a request that was refused or dropped
 * @param tenants who sends requests, and how many
 * @param staleness seconds by which the report of the utilization is late
 * @param seconds the length of a run
 * @param disturbedAt when the conditions change; 0 if they do not
 */
record Plant(
    String name,
    boolean isShared,
    Curve workers,
    ServiceTime service,
    Curve slowdown,
    double pauseEvery,
    double pauseLength,
    double thrashing,
    int queue,
    Curve hanging,
    double hangTime,
    Curve load,
    double timeout,
    int retries,
    List<Tenant> tenants,
    double staleness,
    double seconds,
    double disturbedAt) {

  /**
   * A sender of requests.
   *
   * @param share its part of the offered requests
   * @param priority 0 is the most important
   */
  record Tenant(double share, int priority) {}

  /** Seconds at the start of a run that are not measured. */
  static final double WARM_UP = 10;

  /** Returns a plant that waits first-in first-out, at three times its capacity. */
  static Plant of(String name, int workers, ServiceTime service) {
    return new Plant(
        name,
        false,
        Curve.constant(workers),
        service,
        Curve.constant(1),
        0,
        0,
        0,
        Integer.MAX_VALUE,
        Curve.constant(0),
        0,
        Curve.constant(3),
        1,
        0,
        List.of(new Tenant(1, 0)),
        0,
        60,
        0);
  }

  Plant shared() {
    return copy(true, workers, slowdown, hanging, load, timeout, tenants, disturbedAt);
  }

  Plant withWorkers(Curve workers, double disturbedAt) {
    return copy(isShared, workers, slowdown, hanging, load, timeout, tenants, disturbedAt);
  }

  Plant withSlowdown(Curve slowdown, double disturbedAt) {
    return copy(isShared, workers, slowdown, hanging, load, timeout, tenants, disturbedAt);
  }

  Plant withLoad(Curve load, double disturbedAt) {
    return copy(isShared, workers, slowdown, hanging, load, timeout, tenants, disturbedAt);
  }

  Plant withTimeout(double timeout) {
    return copy(isShared, workers, slowdown, hanging, load, timeout, tenants, disturbedAt);
  }

  Plant withTenants(List<Tenant> tenants) {
    return copy(isShared, workers, slowdown, hanging, load, timeout, tenants, disturbedAt);
  }

  Plant withPauses(double every, double length) {
    return more(every, length, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  Plant withThrashing(double thrashing) {
    return more(
        pauseEvery, pauseLength, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  Plant withQueue(int queue) {
    return more(
        pauseEvery, pauseLength, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  Plant withHanging(Curve hanging, double hangTime) {
    return more(
        pauseEvery, pauseLength, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  Plant withRetries(int retries) {
    return more(
        pauseEvery, pauseLength, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  Plant withStaleness(double staleness) {
    return more(
        pauseEvery, pauseLength, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  Plant lasting(double seconds) {
    return more(
        pauseEvery, pauseLength, thrashing, queue, hanging, hangTime, retries, staleness, seconds);
  }

  /** Returns this plant at a fifth of its capacity at each moment, without hanging requests. */
  Plant unloaded() {
    Curve fifth = seconds -> 0.2 * capacity(seconds) / capacity(0);
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

  private Plant copy(
      boolean isShared,
      Curve workers,
      Curve slowdown,
      Curve hanging,
      Curve load,
      double timeout,
      List<Tenant> tenants,
      double disturbedAt) {
    return new Plant(
        name,
        isShared,
        workers,
        service,
        slowdown,
        pauseEvery,
        pauseLength,
        thrashing,
        queue,
        hanging,
        hangTime,
        load,
        timeout,
        retries,
        tenants,
        staleness,
        seconds,
        disturbedAt);
  }

  private Plant more(
      double pauseEvery,
      double pauseLength,
      double thrashing,
      int queue,
      Curve hanging,
      double hangTime,
      int retries,
      double staleness,
      double seconds) {
    return new Plant(
        name,
        isShared,
        workers,
        service,
        slowdown,
        pauseEvery,
        pauseLength,
        thrashing,
        queue,
        hanging,
        hangTime,
        load,
        timeout,
        retries,
        tenants,
        staleness,
        seconds,
        disturbedAt);
  }
}
