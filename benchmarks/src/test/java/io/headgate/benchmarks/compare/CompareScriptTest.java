package io.headgate.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The arguments of {@code benchmarks/compare}; nothing is measured. */
class CompareScriptTest {
  private record Result(int status, String output) {}

  private static Result compare(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("./compare"));
    command.addAll(List.of(arguments));
    var process =
        new ProcessBuilder(command).directory(new File(".")).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  @Test
  void helpIsPrinted() throws Exception {
    var result = compare("--help");
    assertThat(result.status()).isZero();
    assertThat(result.output()).startsWith("usage: ./benchmarks/compare BASE");
  }

  @Test
  void wrongArgumentsAreRefusedWithWords() throws Exception {
    assertThat(compare())
        .isEqualTo(
            new Result(
                2,
                "compare: the commit to compare with is missing; see ./benchmarks/compare --help\n"));
    assertThat(compare("no-such-commit"))
        .isEqualTo(new Result(2, "compare: 'no-such-commit' is not a commit of this repository\n"));
    assertThat(compare("HEAD", "--turns", "2"))
        .isEqualTo(new Result(2, "compare: --turns must be 3 to 20; got '2'\n"));
    assertThat(compare("HEAD", "main"))
        .isEqualTo(
            new Result(
                2,
                "compare: one commit is compared with the working tree; got 'HEAD' and 'main'\n"));
  }
}
