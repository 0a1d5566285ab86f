package io.headgate.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class JvmExitTest {
  @Test
  void exitOfTheJvmEndsRunningAndPausedServers() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var jvm =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                LeavesServersOpen.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var output = jvm.inputReader(UTF_8)) {
      var running = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
      var paused = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
      var directory = Path.of(output.readLine());
      assertThat(running.isAlive() && paused.isAlive()).isTrue();
      assertThat(directory).isDirectory();

      jvm.destroy(); // SIGTERM
      jvm.waitFor();

      assertThat(running.isAlive()).isFalse();
      assertThat(paused.isAlive()).isFalse();
      assertThat(directory).doesNotExist();
    } finally {
      jvm.destroy();
    }
  }

  /** Starts two servers and closes none. */
  static final class LeavesServersOpen {
    public static void main(String[] arguments) throws InterruptedException {
      var running = RedisServer.start();
      var paused = RedisServer.start();
      var directory = running.call("CONFIG", "GET", "dir").items().getLast();
      System.out.println(RedisServerTest.pidOf(running));
      System.out.println(RedisServerTest.pidOf(paused));
      paused.pause();
      System.out.println(directory);
      new CountDownLatch(1).await();
    }

    private LeavesServersOpen() {}
  }
}
