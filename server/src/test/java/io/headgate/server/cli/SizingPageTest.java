package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Compares the table of the page about sizing with the figures of the program. */
class SizingPageTest {
  private static final List<String> COLUMNS =
      List.of(
          "memory.%s.bytes",
          "memory.%s.unit-bytes",
          "redis.%s.bytes",
          "redis.%s.unit-bytes",
          "redis.%s.large-unit-bytes",
          "redis.%s.micros",
          "redis.%s.in-bytes",
          "redis.%s.out-bytes");

  @Test
  void tableHasTheFiguresOfTheProgram() throws IOException {
    var figures = new Properties();
    try (var in = SizeCommand.class.getResourceAsStream("size/figures.properties")) {
      figures.load(in);
    }
    var page = Files.readString(Path.of("../docs/sizing.md"));
    var labels =
        figures.stringPropertyNames().stream()
            .filter(name -> name.matches("memory\\..*\\.bytes"))
            .map(name -> name.split("\\.", -1)[1])
            .toList();
    assertThat(labels).contains("token-bucket", "sliding-window");
    for (var label : labels) {
      var row = new StringBuilder("| " + label);
      for (var column : COLUMNS) {
        row.append(" | ").append(figures.getProperty(column.formatted(label)));
      }
      assertThat(page).contains(row.append(" |\n"));
    }
    assertThat(page)
        .contains(
            "%s µs of a check over HTTP in memory, %s µs with Redis"
                .formatted(
                    figures.getProperty("http.memory.micros"),
                    figures.getProperty("http.redis.micros")));
  }
}
