package io.headgate.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The environment of a section.
 *
 * @param root the root of the repository
 */
public record BenchmarkContext(Path root, Effort effort, ProgressLog progress, Jmh jmh) {
  /** Returns the path of this JVM's executable. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Returns the class path of this JVM. */
  public static String classPath() {
    return System.getProperty("java.class.path");
  }

  /**
   * Returns options for the JVMs of a measurement: those that suppress warnings about APIs used by
   * Netty, and the compiler level of the system property {@code benchmarks.compiler}. Tests, which
   * do not check any speed, set it to save CPU time.
   */
  public static List<String> jvmOptions() {
    var options = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
    if (Runtime.version().feature() >= 23) options.add("--sun-misc-unsafe-memory-access=allow");
    var compiler = System.getProperty("benchmarks.compiler");
    if (compiler != null) options.add("-XX:TieredStopAtLevel=" + compiler);
    return options;
  }
}
