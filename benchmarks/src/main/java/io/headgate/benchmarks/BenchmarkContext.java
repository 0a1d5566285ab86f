package io.headgate.benchmarks;

import java.nio.file.Path;
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

  /** Returns the JVM options that suppress warnings about APIs used by Netty. */
  public static List<String> quietly() {
    return Runtime.version().feature() < 23
        ? List.of("--enable-native-access=ALL-UNNAMED")
        : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
  }
}
