package io.headgate.server.simulation.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.simulation.Arrival;
import io.headgate.testkit.MutationFuzzer;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A mutated log is read to its end, whatever its lines are. */
class AccessLogFuzzTest {
  private static final String RULES =
      """
      - id: all
        match: { ip: "*", user: "*", method: "*", path: "*", user-agent: "*" }
        limits: [{ algorithm: token-bucket, rate: 1/1s, cost: bytes }]
      """;

  private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
  private static final Pattern BLANK = Pattern.compile("[ \\t]*\\r?");

  @Test
  void lines() {
    var wanted = RequiredFields.by(List.of(RuleSet.of(RuleFile.read(RULES))));
    MutationFuzzer.run(
        List.of(
            "127.0.0.1 - frank [10/Oct/2026:13:55:36 -0700] \"GET /a?b HTTP/1.0\" 200 2326\n",
            "2001:db8::7 - - [10/Oct/2026:13:55:36 +0530] \"POST /a HTTP/2.0\" 499 0 \"-\" \"Mozilla \\x22\"\n",
            "{\"time\":\"2026-10-10T13:55:36.123Z\",\"remote_addr\":\"192.0.2.1\",\"request\":\"GET / HTTP/1.1\",\"bytes\":12}\n"),
        input -> {
          var arrivals = new ArrayList<Arrival>();
          var log =
              new AccessLog(
                  Attributes.of(wanted, Map.of()), AccessLog.Format.AUTO, false, arrivals::add);
          log.read(new ByteArrayInputStream(input));
          assertThat(log.lines()).isEqualTo(arrivals.size());
          assertThat(log.lines() + log.unreadable()).isEqualTo(linesWithText(input));
        });
  }

  /** Each line that has more than blanks is either read or counted as unreadable. */
  private static long linesWithText(byte[] input) {
    var text = new String(input, StandardCharsets.ISO_8859_1);
    if (text.startsWith(BYTE_ORDER_MARK)) text = text.substring(BYTE_ORDER_MARK.length());
    return Arrays.stream(text.split("\n")).filter(line -> !BLANK.matcher(line).matches()).count();
  }
}
