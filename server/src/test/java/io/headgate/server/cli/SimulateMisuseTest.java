package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.server.cli.output.CommandContext;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests invalid input of simulate and results that could be misread. */
class SimulateMisuseTest {
  private static final String RULES =
      "rules: [{ id: per-ip, match: { ip: '*' }, limit: { algorithm: fixed-window, rate: 1/1h } }]";

  @TempDir Path folder;
  private String out = "";
  private String err = "";

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    Files.writeString(folder.resolve("access.log"), (line(1) + line(2)).repeat(2));
  }

  private static String line(int ip) {
    return "10.0.%d.%d - - [10/Oct/2026:13:55:00 +0000] \"GET / HTTP/1.1\" 200 1\n"
        .formatted(ip / 256, ip % 256);
  }

  private int run(String... args) {
    var written = new StringWriter();
    var complained = new StringWriter();
    int code =
        Main.run(
            new CommandContext(
                Map.of(),
                folder,
                new PrintWriter(written, true),
                new PrintWriter(complained, true),
                false),
            args);
    out = written.toString().replace("\r\n", "\n");
    err = complained.toString().replace("\r\n", "\n");
    return code;
  }

  @Test
  void invalidNumberIsRejectedBeforeLogsAreRead() {
    assertThat(run("simulate", "--rules=none.yaml", "--log=access.log", "--top=-1")).isEqualTo(2);
    assertThat(err).isEqualTo("headgate: --top must be 0 or more, got -1\n");
    assertThat(run("simulate", "--rules=none.yaml", "--log=access.log", "--max-keys=0"))
        .isEqualTo(2);
    assertThat(err)
        .isEqualTo("headgate: --max-keys must be 1 or more, got 0; the default is 1000000\n");
  }

  @Test
  void topZeroStillReportsDenials() {
    assertThat(run("simulate", "--rules=rules.yaml", "--log=access.log", "--top=0")).isZero();
    assertThat(out)
        .doesNotContain("No request", "CALLER")
        .endsWith("2 of 2 callers would be denied something\n");
  }

  @Test
  void missingLogIsReportedBeforeTheFirstIsRead() throws IOException {
    Files.createDirectory(folder.resolve("unreadable"));
    assertThat(run("simulate", "--rules=rules.yaml", "--log", "unreadable", "none.log"))
        .isEqualTo(2);
    assertThat(err).isEqualTo("headgate: none.log: there is no such file\n");
  }

  @Test
  void errorInOneOfSeveralLogsNamesTheFile() throws IOException {
    Files.writeString(folder.resolve("other.log"), line(1) + "nonsense\n");
    run("simulate", "--rules=rules.yaml", "--log", "access.log", "other.log");
    assertThat(out)
        .contains("\n  other.log, line 2: is not in common or combined log format, such as ");
  }

  @Test
  void invalidAttributeMappingsAreRejected() {
    assertThat(run("simulate", "--rules=rules.yaml", "--log=access.log", "--attr", "=ip"))
        .isEqualTo(2);
    assertThat(err)
        .startsWith("headgate: --attr: an attribute name must have 1 to 64 characters, got 0");
    assertThat(run("simulate", "--rules=rules.yaml", "--log=access.log", "--attr", "key=user}"))
        .isEqualTo(2);
    assertThat(err).startsWith("headgate: --attr: 'user}' has a } without a {");
  }

  @Test
  void rulesWithTooManyAttributesAreRejected() throws IOException {
    var rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 300; i++) {
      rules.append(
          "  - { id: r%d, match: { a%d: x }, limit: { algorithm: token-bucket, rate: 1/1s } }\n"
              .formatted(i, i));
    }
    Files.writeString(folder.resolve("many.yaml"), rules);
    assertThat(run("simulate", "--rules=many.yaml", "--log=access.log")).isEqualTo(2);
    assertThat(err).startsWith("headgate: the rules use 300 attributes");
  }

  @Test
  void evictedCountersCauseANote() throws IOException {
    var log = new StringBuilder();
    for (int i = 0; i < 500; i++) log.append(line(i));
    Files.writeString(folder.resolve("many.log"), log.toString().repeat(2));
    run("simulate", "--rules=rules.yaml", "--log=many.log", "--max-keys=100");
    assertThat(out)
        .contains("Note: 100 of at most 100 counters were in use at once: ")
        .contains("; --max-keys keeps more\n");
    run("simulate", "--rules=rules.yaml", "--log=many.log", "--max-keys=1000");
    assertThat(out).doesNotContain("Note: ").contains("all together  1,000     500      500 ");
  }

  @Test
  void delayedRequestsAreNotCountedAsAllowed() throws IOException {
    Files.writeString(
        folder.resolve("queue.yaml"),
        "rules: [{ id: q, limit: { algorithm: leaky-bucket, rate: 1/1m, queue: 2 } }]");
    run("simulate", "--rules=queue.yaml", "--log=access.log", "--html=out.html");
    assertThat(out).contains("q             4         1        1       2\n");
    assertThat(Files.readString(folder.resolve("out.html")))
        .contains("<tr><td>q<td>4<td>1<td>1<td>2");
    run("simulate", "--rules=queue.yaml", "--log=access.log", "--json");
    assertThat(new ObjectMapper().readTree(out).get("after").toString())
        .isEqualTo("{\"allowed\":1,\"denied\":1,\"delayed\":2}");
  }

  @Test
  void svgHasAsciiDigitsInEveryLocale() throws IOException {
    var before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      run("simulate", "--rules=rules.yaml", "--log=access.log", "--html=out.html");
    } finally {
      Locale.setDefault(before);
    }
    assertThat(Files.readString(folder.resolve("out.html")))
        .contains("viewBox=\"0 0 960 240\"")
        .matches("\\p{ASCII}*");
  }
}
