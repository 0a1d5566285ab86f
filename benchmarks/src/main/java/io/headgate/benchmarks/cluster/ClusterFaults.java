package io.headgate.benchmarks.cluster;

import io.headgate.benchmarks.ProgressLog;
import io.headgate.benchmarks.Table;
import io.headgate.testkit.net.MemberNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures a cluster of three members under load while members and the network fail. */
public final class ClusterFaults {
  private static final int VICTIM = 2;
  private static final int NONE = -1;

  /**
   * The durations of the measurements.
   *
   * @param calm before and after each fault
   * @param fault how long a member is stopped or separated
   */
  public record Pace(Duration calm, Duration fault) {}

  /** A fault, from its beginning to its end. */
  private interface Fault {
    void run(FaultFleet fleet, List<FaultRun.Part> left) throws IOException, InterruptedException;
  }

  private final ProgressLog progress;
  private final Pace pace;
  private final Path directory;
  private final List<FaultRun> runs = new ArrayList<>();

  private ClusterFaults(ProgressLog progress, Pace pace, Path directory) {
    this.progress = progress;
    this.pace = pace;
    this.directory = directory;
  }

  /** Runs the measurements and returns the report as Markdown. */
  public static String report(ProgressLog progress, Pace pace) throws Exception {
    var faults = new ClusterFaults(progress, pace, Files.createTempDirectory("headgate-faults"));
    var table = new Table(FaultRun.COLUMNS);
    boolean network = MemberNetwork.isPermitted();
    for (var run : faults.measure(network)) table.row(run.cells());
    return (network ? "" : "Without the partitions, which need root and network namespaces.\n\n")
        + table;
  }

  /** Runs the partition alone; {@link MemberNetwork#isPermitted} must be true. */
  static FaultRun partition(ProgressLog progress, Pace pace, Path directory) throws Exception {
    var faults = new ClusterFaults(progress, pace, directory);
    try (var network = new MemberNetwork(FaultFleet.SIZE);
        var fleet = new FaultFleet(directory, network)) {
      faults.runPartition(fleet, network);
    }
    return faults.runs.getFirst();
  }

  private void runPartition(FaultFleet fleet, MemberNetwork network) throws Exception {
    run(
        fleet,
        "partition: one of three separated for %d s".formatted(pace.fault.toSeconds()),
        "partition",
        false,
        (members, left) -> separated(members, network));
  }

  /** Returns the runs of all faults; without those of the network if it is false. */
  private List<FaultRun> measure(boolean network) throws Exception {
    try (var fleet = new FaultFleet(directory, null)) {
      run(fleet, "kill -9 of one of three, started again", "killed", false, this::kill);
      run(fleet, stopped(), "stopped", false, this::stop);
      run(fleet, "a fourth joins, and leaves in order", "moved", false, this::joinAndLeave);
      run(fleet, "all restarted one after the other", "rolling", false, this::restartEach);
      run(fleet, "kill -9 of all, started again", "all", true, this::killAll);
    }
    if (network) {
      try (var net = new MemberNetwork(FaultFleet.SIZE + 1);
          var fleet = new FaultFleet(directory, net)) {
        runPartition(fleet, net);
        run(
            fleet,
            "packets from one to another lost, but not back",
            "asymmetric",
            false,
            (f, left) -> oneDirection(f, net));
      }
    }
    return runs;
  }

  private String stopped() {
    return "SIGSTOP of one for %d s, then SIGCONT".formatted(pace.fault.toSeconds());
  }

  private void run(FaultFleet fleet, String title, String key, boolean lost, Fault fault)
      throws Exception {
    progress.log("  " + title);
    var left = new ArrayList<FaultRun.Part>();
    long start = System.nanoTime();
    fleet.begin(key);
    Thread.sleep(pace.calm);
    long from = System.currentTimeMillis();
    fault.run(fleet, left);
    long until = System.currentTimeMillis();
    fleet.awaitSound(FaultFleet.SIZE);
    Thread.sleep(pace.calm);
    left.addAll(fleet.end());
    double seconds = (System.nanoTime() - start) / 1e9;
    var phases = new ArrayList<FaultPhase>();
    for (int i = 0; i < FaultMemberMain.PHASES; i++) {
      int phase = i;
      phases.add(FaultPhase.together(left.stream().map(each -> each.phases().get(phase)).toList()));
    }
    long last = left.stream().mapToLong(FaultRun.Part::lastFallback).max().orElse(0);
    var admitted = fleet.admitted();
    runs.add(
        new FaultRun(
            title,
            phases,
            admitted,
            seconds,
            lost,
            lost ? -1 : fleet.charged(),
            until - from,
            Math.max(0, last - until)));
    progress.log("    " + runs.getLast().cells());
  }

  /** The fault ends when the member has joined again. */
  private void kill(FaultFleet fleet, List<FaultRun.Part> left) throws IOException {
    fleet.nextPhase(NONE);
    fleet.kill(VICTIM);
    fleet.awaitSound(FaultFleet.SIZE - 1);
    fleet.start(VICTIM);
    fleet.nextPhase(NONE);
  }

  private void stop(FaultFleet fleet, List<FaultRun.Part> left)
      throws IOException, InterruptedException {
    fleet.nextPhase(NONE);
    fleet.signal(VICTIM, "STOP");
    Thread.sleep(pace.fault);
    fleet.signal(VICTIM, "CONT");
    fleet.nextPhase(NONE);
  }

  private void joinAndLeave(FaultFleet fleet, List<FaultRun.Part> left) throws IOException {
    fleet.nextPhase(NONE);
    fleet.start(FaultFleet.SIZE);
    fleet.awaitSound(FaultFleet.SIZE + 1);
    left.add(fleet.leave(FaultFleet.SIZE));
    fleet.nextPhase(NONE);
  }

  private void restartEach(FaultFleet fleet, List<FaultRun.Part> left) throws IOException {
    fleet.nextPhase(NONE);
    for (int i = 0; i < FaultFleet.SIZE; i++) {
      left.add(fleet.leave(i));
      fleet.start(i);
      fleet.awaitSound(FaultFleet.SIZE);
    }
    fleet.nextPhase(NONE);
  }

  private void killAll(FaultFleet fleet, List<FaultRun.Part> left) throws IOException {
    fleet.nextPhase(NONE);
    for (int i = 0; i < FaultFleet.SIZE; i++) fleet.kill(i);
    fleet.startAll(List.of(0, 1, 2));
    fleet.nextPhase(NONE);
  }

  private void separated(FaultFleet fleet, MemberNetwork network)
      throws IOException, InterruptedException {
    fleet.nextPhase(NONE);
    network.separate(VICTIM, true);
    Thread.sleep(pace.fault);
    network.separate(VICTIM, false);
    fleet.nextPhase(NONE);
  }

  private void oneDirection(FaultFleet fleet, MemberNetwork network)
      throws IOException, InterruptedException {
    fleet.nextPhase(NONE);
    network.lose(VICTIM, 1, true);
    Thread.sleep(pace.fault);
    network.lose(VICTIM, 1, false);
    fleet.nextPhase(NONE);
  }
}
