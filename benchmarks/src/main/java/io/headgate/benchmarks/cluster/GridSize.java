package io.headgate.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Weighs the grid and the cluster store in the program's jar. */
final class GridSize {
  private static final List<String> PARTS =
      List.of(
          "com/tangosol/",
          "com/oracle/coherence/",
          "coherence",
          "tangosol",
          "io/headgate/cluster/");

  private GridSize() {}

  /** Returns the compressed size as text; says so if the jar does not exist. */
  static String of(Path program) throws IOException {
    if (!Files.exists(program)) return "not built";
    try (var jar = new ZipFile(program.toFile())) {
      long bytes =
          jar.stream()
              .filter(entry -> PARTS.stream().anyMatch(entry.getName()::startsWith))
              .mapToLong(ZipEntry::getCompressedSize)
              .sum();
      return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
  }
}
