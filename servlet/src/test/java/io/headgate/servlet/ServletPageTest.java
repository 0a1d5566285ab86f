package io.headgate.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Checks that the examples of {@code docs/servlet.md} are parts of programs that tests run. */
class ServletPageTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```");

  @Test
  void everyExampleIsPartOfATest() throws IOException {
    var program = lines(Path.of("src/test/java/io/headgate/servlet/ServletExamplesTest.java"));
    var page = Files.readString(Path.of("../docs/servlet.md"));
    var examples = new ArrayList<String>();
    BLOCK.matcher(page).results().forEach(block -> examples.add(block.group(1)));
    assertThat(examples).hasSize(2);
    for (var example : examples) {
      assertThat(program).contains(joined(List.of(example.split("\n"))));
    }
  }

  private static String lines(Path file) throws IOException {
    return joined(Files.readAllLines(file));
  }

  private static String joined(List<String> lines) {
    return lines.stream().map(String::strip).collect(Collectors.joining(" "));
  }
}
