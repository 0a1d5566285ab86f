package io.headgate.server.simulation.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.simulation.Arrival;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Fuzz target: a log is read to its end, and each non-blank line is either a request or counted as
 * unreadable.
 */
public final class AccessLogFuzzTarget {
  private static final String RULES =
      """
      - id: all
        match: { ip: "*", user: "*", method: "*", path: "*", user-agent: "*" }
        limits: [{ algorithm: token-bucket, rate: 1/1s, cost: bytes }]
      """;

  private static final RequiredFields REQUIRED =
      RequiredFields.of(List.of(RuleSet.of(RuleFile.read(RULES))));
  private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";
  private static final Pattern BLANK = Pattern.compile("[ \\t]*\\r?");

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    requireEveryLineIsCounted(input, AccessLog.Format.AUTO, false);
    requireEveryLineIsCounted(input, AccessLog.Format.JSON, true);
  }

  private static void requireEveryLineIsCounted(
      byte[] input, AccessLog.Format format, boolean withQuery) throws IOException {
    var arrivals = new ArrayList<Arrival>();
    var log = new AccessLog(Attributes.of(REQUIRED, Map.of()), format, withQuery, arrivals::add);
    try {
      log.read(new ByteArrayInputStream(input));
    } catch (IOException e) {
      if (!isCompressed(input)) throw e;
      return; // broken gzip
    }
    assertThat(log.lines()).isEqualTo(arrivals.size());
    assertThat(log.samples().size()).isLessThanOrEqualTo((int) log.unreadable());
    if (isCompressed(input)) return;
    assertThat(log.lines() + log.unreadable()).isEqualTo(linesWithText(input));
  }

  private static boolean isCompressed(byte[] input) {
    return input.length >= 2 && input[0] == 0x1f && input[1] == (byte) 0x8b;
  }

  private static long linesWithText(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1);
    if (text.startsWith(BYTE_ORDER_MARK)) text = text.substring(BYTE_ORDER_MARK.length());
    return Arrays.stream(text.split("\n", -1))
        .filter(line -> !BLANK.matcher(line).matches())
        .count();
  }

  private AccessLogFuzzTarget() {}
}
