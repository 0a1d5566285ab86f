package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two instances whose processes lack CPU time, with an available Redis, admit exactly the limit.
 * The failure policy of the rules is allow, so every decision without Redis would exceed the limit.
 */
class StarvationTest {
  private static final long STOPPED_MILLIS = 150; // longer than the deadline of a call

  /**
   * Two thirds of the time: a wait ends after 1 s at the latest, however long its process was
   * stopped.
   */
  private static final long RUNNING_MILLIS = 300;

  /** The processes have not warmed up either: their callers start after one check. */
  @Test
  void repeatedlyPausedProcessesAdmitExactlyTheLimit() throws Exception {
    try (var redis = RedisServer.start()) {
      var processes = new ArrayList<Process>();
      try {
        for (int i = 0; i < 2; i++) processes.add(instance(redis.uri()));
        var outputs = new ArrayList<BufferedReader>();
        for (var process : processes) {
          outputs.add(process.inputReader(StandardCharsets.UTF_8));
          assertThat(outputs.getLast().readLine()).isEqualTo(StarvedInstance.READY);
        }
        for (var process : processes) process.getOutputStream().close();
        while (processes.stream().anyMatch(Process::isAlive)) {
          signal("-STOP", processes);
          Thread.sleep(STOPPED_MILLIS);
          signal("-CONT", processes);
          Thread.sleep(RUNNING_MILLIS);
        }
        var counts = new ArrayList<long[]>();
        for (var output : outputs) counts.add(counts(output.readLine()));
        assertExact(counts);
      } finally {
        for (var process : processes) process.destroyForcibly();
      }
    }
  }

  /** For a leased counter, permits that an instance still holds are not admitted. */
  private static void assertExact(List<long[]> counts) {
    for (int rule = 0; rule < StarvedInstance.RULES.size(); rule++) {
      long admitted = counts.get(0)[rule] + counts.get(1)[rule];
      var name = StarvedInstance.RULES.get(rule);
      assertThat(admitted).as("admitted of " + name).isLessThanOrEqualTo(StarvedInstance.LIMIT);
      if (!name.equals("leased")) {
        assertThat(admitted).as("admitted of " + name).isEqualTo(StarvedInstance.LIMIT);
      }
    }
  }

  private static Process instance(String uri) throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            java,
            "-Xmx96m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            StarvedInstance.class.getName(),
            uri)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static void signal(String signal, List<Process> processes) throws Exception {
    var command = new ArrayList<>(List.of("kill", signal));
    for (var process : processes) {
      if (process.isAlive()) command.add(Long.toString(process.pid()));
    }
    if (command.size() == 2) return;
    var unused = new ProcessBuilder(command).start().waitFor(10, TimeUnit.SECONDS);
  }

  private static long[] counts(String text) {
    assertThat(text).matches("\\d+( \\d+)+");
    return Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
  }
}
