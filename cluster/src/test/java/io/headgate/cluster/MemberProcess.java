package io.headgate.cluster;

import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.net.MemberNetwork;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A running {@link MemberMain}. Its process ends with this JVM at the latest. */
final class MemberProcess implements AutoCloseable {
  /** What {@link MemberMain} has counted; decisions by a failure policy are fallback decisions. */
  record Counts(long allowed, long denied, long fallback, long errors, long worstMillis) {}

  /** The cluster as the member sees it. */
  record Status(
      int members,
      int expected,
      boolean available,
      int unowned,
      int unbacked,
      int unreachable,
      boolean majority) {}

  private static final String SECRET = "a secret of enough length";

  private final Process process;
  private final BufferedReader out;
  private final BufferedWriter in;

  private MemberProcess(Process process) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.in =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    ExitHooks.closeAtExit(this);
  }

  /** Starts a member without waiting until it has joined; see {@link #awaitJoined}. */
  static MemberProcess start(int port, List<Integer> members, String cluster, String... keys) {
    var join = new ArrayList<String>();
    for (int member : members) join.add("127.0.0.1:" + member);
    return start(port, String.join(",", join), cluster, keys);
  }

  static MemberProcess start(int port, String join, String cluster, String... keys) {
    var arguments = new ArrayList<>(List.of(Integer.toString(port), join, cluster));
    arguments.addAll(Arrays.asList(keys));
    return start(MemberClasses.command(arguments), Map.of());
  }

  /**
   * Starts a member of a network.
   *
   * @param memory the file in which it remembers the others; it does not if that is null
   */
  static MemberProcess start(MemberNetwork network, int index, String join, @Nullable Path memory) {
    var command = new ArrayList<>(network.enter(index));
    command.addAll(MemberClasses.command(List.of("7574", join, "network", SECRET)));
    var environment = new HashMap<String, String>();
    environment.put("MEMBER_HOST", network.address(index));
    if (memory != null) environment.put("MEMBER_MEMORY", memory.toString());
    return start(command, environment);
  }

  private static MemberProcess start(List<String> command, Map<String, String> environment) {
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    try {
      return new MemberProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  MemberProcess awaitJoined() {
    var line = read();
    if (!"joined".equals(line)) throw new IllegalStateException("the member wrote " + line);
    return this;
  }

  /** Returns the first line of a process that could not join. */
  String refusal() {
    return read();
  }

  private String read() {
    try {
      return String.valueOf(out.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void send(String command) {
    try {
      in.write(command + "\n");
      in.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String call(String command) {
    send(command);
    return read();
  }

  Counts counts(String command) {
    send(command);
    return readCounts();
  }

  Counts readCounts() {
    var n = Arrays.stream(read().split(" ", -1)).mapToLong(Long::parseLong).toArray();
    return new Counts(n[0], n[1], n[2], n[3], n[4]);
  }

  Status status() {
    var words = call("status").split(" ", -1);
    return new Status(
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Boolean.parseBoolean(words[2]),
        Integer.parseInt(words[3]),
        Integer.parseInt(words[4]),
        Integer.parseInt(words[5]),
        Boolean.parseBoolean(words[6]));
  }

  /** Sends a signal, such as {@code STOP}. */
  void signal(String name) {
    try {
      var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
      if (!kill.waitFor(10, TimeUnit.SECONDS)) throw new IllegalStateException("kill hangs");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
