package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.cli.output.JsonReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that an error that prevents the start has the format of the log. */
class StartErrorsTest extends Shell {
  private void requireOneJsonLine(String expected) throws IOException {
    assertThat(err).endsWith("}\n");
    assertThat(err.lines()).hasSize(1);
    var line = JsonReply.read(err);
    assertThat(Instant.parse(line.at("time").text())).isBefore(Instant.now().plusSeconds(1));
    assertThat(line.at("level").text()).isEqualTo("ERROR");
    assertThat(line.at("logger").text()).isEqualTo("io.headgate.server.cli.ServeCommand");
    assertThat(line.at("message").text()).contains(expected).doesNotContain("headgate: ");
    assertThat(out).isEmpty();
    assertThat(code).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "serve --log-format json --port 70000       | port must be 0 to 65535, got 70000",
        "serve --log-format=json --port x           | 'x' is not an int",
        "serve --prt 1 --log-format JSON            | Unknown options: '--prt', '1'",
        "serve --log-format json --report-every 1s  | was renamed; use --sync-interval",
        "serve --log-format json --rules none.yaml  | none.yaml: there is no such file",
        "serve --log-format json --config none.yaml | none.yaml can't be read: there is no such file",
      })
  void errorIsOneLineOfTheJsonLog(String line, String expected) throws IOException {
    run(line.strip().split(" +", -1));
    requireOneJsonLine(expected);
  }

  @Test
  void formatIsTakenFromTheEnvironmentAndTheFile() throws IOException {
    environment.put("HEADGATE_LOG_FORMAT", "json");
    run("serve", "--port", "70000");
    requireOneJsonLine("got 70000");
    environment.remove("HEADGATE_LOG_FORMAT");
    environment.remove("HEADGATE_PORT");
    Files.writeString(folder.resolve("headgate.yaml"), "log-format: json\nport: 70001\n");
    run("serve");
    requireOneJsonLine("got 70001");
  }

  @Test
  void errorOfSeveralLinesIsOneLineOfTheJsonLog() throws IOException {
    Files.writeString(folder.resolve("bad.yaml"), "rules:\n  - id: a\n    limmit: 7\n");
    run("serve", "--log-format", "json", "--rules", "bad.yaml");
    requireOneJsonLine("bad.yaml:3:5: rules[0].limmit: unknown field");
  }

  /** The command would not return from a start that succeeds, nor within the warm-up's time. */
  @Test
  void portInUseIsReportedBeforeTheWarmUp() throws IOException {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      run(serve("--port", String.valueOf(other.getLocalPort())));
      requireOneJsonLine("cannot listen on 127.0.0.1 port %d (".formatted(other.getLocalPort()));
    }
  }

  @Test
  void missingCertificateIsReportedBeforeTheWarmUp() throws IOException {
    run(serve("--port", "0", "--tls-cert", "none.pem", "--tls-key", "none.key"));
    requireOneJsonLine("cannot serve TLS: ");
    assertThat(err).contains("none.pem");
  }

  private static String[] serve(String... options) {
    var first = Stream.of("serve", "--warm-up", "1h", "--log-format", "json");
    return Stream.concat(first, Stream.of(options)).toArray(String[]::new);
  }

  @Test
  void otherCommandsReportErrorsAsText() {
    environment.put("HEADGATE_LOG_FORMAT", "json");
    run("rules", "lint", "none.yaml");
    assertThat(err).startsWith("headgate: ");
    run("check");
    assertThat(err).startsWith("headgate: no subject");
  }
}
