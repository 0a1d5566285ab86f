package io.headgate.benchmarks.cluster;

import io.headgate.benchmarks.BenchmarkContext;
import io.headgate.benchmarks.Child;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A running {@link MemberMain}. Not thread-safe. */
final class Member implements AutoCloseable {
  private final Child child;
  private final BufferedWriter commands;
  private final BufferedReader replies;

  private Member(Child child) {
    this.child = child;
    this.commands =
        new BufferedWriter(new OutputStreamWriter(child.input(), StandardCharsets.UTF_8));
    this.replies =
        new BufferedReader(new InputStreamReader(child.output(), StandardCharsets.UTF_8));
  }

  /** Starts a process with arguments of its main class, without waiting for it. */
  static Member start(Class<?> main, List<String> arguments) throws IOException {
    return start(List.of(), main, arguments);
  }

  /** As {@link #start(Class, List)}, with words before the command. */
  static Member start(List<String> before, Class<?> main, List<String> arguments)
      throws IOException {
    var command = new ArrayList<>(before);
    command.addAll(List.of(BenchmarkContext.java(), "-Xmx256m", "-XX:+UseSerialGC"));
    command.addAll(BenchmarkContext.jvmOptions());
    command.addAll(List.of("-cp", BenchmarkContext.classPath(), main.getName()));
    command.addAll(arguments);
    return new Member(new Child(command));
  }

  void send(String command) throws IOException {
    commands.write(command + "\n");
    commands.flush();
  }

  /** Returns the next reply, without its prefix. */
  String read() throws IOException {
    var other = new StringBuilder();
    for (String line; (line = replies.readLine()) != null; ) {
      if (line.startsWith(MemberMain.PREFIX)) return line.substring(MemberMain.PREFIX.length());
      other.append('\n').append(line);
    }
    throw new IOException("a member of the cluster ended early:" + other);
  }

  String call(String command) throws IOException {
    send(command);
    return read();
  }

  /** Sends a signal, such as {@code STOP}. */
  void signal(String name) throws IOException {
    var kill = new ProcessBuilder("kill", "-" + name, Long.toString(child.pid())).start();
    try {
      if (kill.waitFor() != 0) throw new IOException("cannot send " + name + " to a member");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    child.close();
  }
}
