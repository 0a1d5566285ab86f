package io.headgate.benchmarks.cluster;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.net.MemberNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The members of a cluster under load, by their numbers. Not thread-safe. */
final class FaultFleet implements AutoCloseable {
  static final int SIZE = 3;
  private static final int MAX_SIZE = 4;
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final String SECRET = "only for this measurement";
  private static final int PORT = 7574;

  private final Path directory;
  private final @Nullable MemberNetwork network;
  private final List<Integer> ports = FreePorts.find(MAX_SIZE);
  private final Map<Integer, Member> members = new TreeMap<>();
  private String key = "";
  private int phase;

  /**
   * Starts three members and waits until each counter has an owner and a copy.
   *
   * @param network where the members are; null for loopback
   */
  FaultFleet(Path directory, @Nullable MemberNetwork network) throws IOException {
    this.directory = directory;
    this.network = network;
    try {
      for (int i = 0; i < SIZE; i++) start(i);
      awaitSound(SIZE);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private String addressOf(int number) {
    return network == null
        ? "127.0.0.1:" + ports.get(number)
        : network.address(number) + ":" + PORT;
  }

  /** Starts a member and waits until it has joined. */
  void start(int number) throws IOException {
    join(launch(number));
  }

  /** Starts members at the same time, and waits until all have joined. */
  void startAll(List<Integer> numbers) throws IOException {
    var launched = new ArrayList<Integer>();
    for (int number : numbers) launched.add(launch(number));
    for (int number : launched) join(number);
  }

  private int launch(int number) throws IOException {
    var join = new ArrayList<String>();
    for (int i = 0; i < SIZE; i++) join.add(addressOf(i));
    boolean isolated = network != null;
    members.put(
        number,
        Member.start(
            network == null ? List.of() : network.enter(number),
            FaultMemberMain.class,
            List.of(
                network == null ? "127.0.0.1" : network.address(number),
                Integer.toString(isolated ? PORT : ports.get(number)),
                String.join(",", join),
                "faults" + ports.getFirst(),
                isolated ? SECRET : "-",
                directory.toString())));
    return number;
  }

  private void join(int number) throws IOException {
    var member = member(number);
    member.read();
    if (key.isEmpty()) return;
    member.call("begin %s %d".formatted(key, number));
    member.call("phase " + phase);
  }

  private Member member(int number) {
    var member = members.get(number);
    if (member == null) throw new IllegalStateException("no member " + number);
    return member;
  }

  void signal(int number, String name) throws IOException {
    member(number).signal(name);
  }

  /** Kills a member without notice. */
  void kill(int number) throws IOException {
    signal(number, "KILL");
    var killed = members.remove(number);
    if (killed != null) killed.close();
  }

  /** Lets a member leave in order, and returns its last figures. */
  FaultRun.Part leave(int number) throws IOException {
    var part = FaultRun.Part.decode(member(number).call("end"));
    member(number).call("leave");
    var left = members.remove(number);
    if (left != null) left.close();
    return part;
  }

  /** Starts the callers of all members, in the phase before the fault. */
  void begin(String name) throws IOException {
    key = name;
    phase = 0;
    for (var each : members.entrySet()) {
      each.getValue().call("begin %s %d".formatted(name, each.getKey()));
    }
  }

  /**
   * Begins the next phase.
   *
   * @param stopped a member that does not read now, or -1
   */
  void nextPhase(int stopped) throws IOException {
    phase++;
    for (var each : members.entrySet()) {
      if (each.getKey() != stopped) each.getValue().call("phase " + phase);
    }
  }

  List<FaultRun.Part> end() throws IOException {
    var parts = new ArrayList<FaultRun.Part>();
    for (var member : members.values()) parts.add(FaultRun.Part.decode(member.call("end")));
    return parts;
  }

  /** Returns the charges of the ample limit. */
  long charged() {
    var first = members.values().iterator().next();
    var charged = new AtomicLong();
    Eventually.holds(
        "the cluster decides",
        TIMEOUT,
        () -> {
          var reply = first.call("charged " + key);
          if (reply.equals(FaultMemberMain.UNKNOWN)) return false;
          charged.set(Long.parseLong(reply));
          return true;
        });
    return charged.get();
  }

  /** Waits until the members other than one that is stopped see each other and all counters. */
  void awaitSound(int count, int... without) {
    Eventually.holds(
        count + " members with all counters",
        TIMEOUT,
        () -> {
          for (var each : members.entrySet()) {
            if (without.length > 0 && each.getKey() == without[0]) continue;
            if (!each.getValue().call("status").equals(count + " sound")) return false;
          }
          return true;
        });
  }

  /** Returns the admissions of all processes that were ever members in this run. */
  FaultRun.Admitted admitted() throws IOException {
    long scarce = 0;
    long ample = 0;
    try (var files = Files.newDirectoryStream(directory, key + "-*")) {
      for (var file : files) {
        var counts = FaultCounts.open(file);
        scarce += counts.scarce();
        ample += counts.ample();
      }
    }
    return new FaultRun.Admitted(scarce, ample);
  }

  @Override
  public void close() {
    for (var member : members.values()) {
      try {
        member.signal("KILL"); // a stopped process ignores others
      } catch (IOException e) {
        System.err.println("cannot end a member: " + e.getMessage());
      }
      member.close();
    }
    members.clear();
  }
}
