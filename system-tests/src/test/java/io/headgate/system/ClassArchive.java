package io.headgate.system;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The archive of the classes that the packaged program loads. With it, a start takes 1.4 s of CPU
 * time instead of 2.5. The first test writes it; the JVMs of other tests wait for it. If each
 * process wrote its own at its end, that would take longer than its start. It has the classes of
 * the Redis client as well, which half of the processes load.
 */
final class ClassArchive {
  /** The options that the archive is written with, and that its users need. */
  static final List<String> JVM_OPTIONS = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static final Path FOLDER = Path.of("target").toAbsolutePath();
  private static final Path ARCHIVE = FOLDER.resolve("headgate.jsa");

  private ClassArchive() {}

  /** Returns the archive of the jar, and writes it first if there is none. */
  static synchronized Path of(Path jar) {
    try (var channel = FileChannel.open(FOLDER.resolve("headgate.jsa.lock"), CREATE, WRITE);
        var lock = channel.lock()) {
      assertThat(lock.isValid()).isTrue();
      if (!isCurrent(jar)) write(jar);
      return ARCHIVE;
    } catch (IOException e) {
      throw new AssertionError("the archive of classes can't be written", e);
    }
  }

  private static boolean isCurrent(Path jar) throws IOException {
    return Files.exists(ARCHIVE)
        && Files.getLastModifiedTime(ARCHIVE).compareTo(Files.getLastModifiedTime(jar)) > 0;
  }

  private static void write(Path jar) throws IOException {
    var scratch = Files.createTempDirectory(FOLDER, "archive");
    var part = scratch.resolve("headgate.jsa");
    var output = scratch.resolve("output.txt");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    command.addAll(List.of("-XX:ArchiveClassesAtExit=" + part, "-jar", jar.toString(), "warm-up"));
    var builder = new ProcessBuilder(command).directory(scratch.toFile()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    builder.environment().put("HEADGATE_WARM_UP", "0s");
    try (var redis = RedisServer.start()) {
      Files.writeString(scratch.resolve("headgate.yaml"), "store: " + redis.uri() + "\n");
      write(builder.redirectOutput(output.toFile()).start(), output);
    }
    Files.move(part, ARCHIVE, ATOMIC_MOVE);
  }

  private static void write(Process process, Path output) throws IOException {
    try {
      assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while the archive of classes was written", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
