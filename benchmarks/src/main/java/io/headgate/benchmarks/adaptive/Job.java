package io.headgate.benchmarks.adaptive;

/** One attempt of a request. */
final class Job {
  final int tenant;
  final int caller;
  final double arrived;
  final int attempt;
  double work;
  boolean hangs;
  boolean isReleased; // completed, or abandoned by the client
  double endsAtProgress;

  Job(int tenant, int caller, double arrived, int attempt) {
    this.tenant = tenant;
    this.caller = caller;
    this.arrived = arrived;
    this.attempt = attempt;
  }
}
