package io.headgate.server.simulation.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogTimeTest {
  private static final DateTimeFormatter COMMON =
      DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss xx", Locale.ROOT);

  private final LogTime time = new LogTime();

  private boolean read(String text) {
    var bytes = ("<" + text + ">").getBytes(UTF_8);
    return time.read(bytes, 1, bytes.length - 1);
  }

  @Property(tries = 500)
  void timestampsFormattedByTheJdkAreParsed(
      @ForAll @LongRange(max = 3_300_000_000L) long second,
      @ForAll @IntRange(max = 999) int milli,
      @ForAll @IntRange(min = -64, max = 64) int quarters) {
    var zone = ZoneOffset.ofTotalSeconds(quarters * 900);
    var moment = Instant.ofEpochSecond(second, milli * 1_000_000L);
    assertThat(read(COMMON.format(moment.atOffset(zone)))).isTrue();
    assertThat(time.micros()).isEqualTo(second * 1_000_000);
    assertThat(time.isCoarse()).isTrue();
    var iso =
        DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSxxx").format(moment.atOffset(zone));
    assertThat(read(iso)).isTrue();
    assertThat(time.micros()).isEqualTo(second * 1_000_000 + milli * 1_000);
    assertThat(time.isCoarse()).isFalse();
    assertThat(read(moment.toString())).isTrue();
    assertThat(time.micros()).isEqualTo(second * 1_000_000 + milli * 1_000);
  }

  @ParameterizedTest
  @CsvSource(
      value = {
        "1791636936|1791636936000000|true",
        "1791636936.25|1791636936250000|false",
        "1791636936250|1791636936250000|false",
        "1791636936250125|1791636936250125|false",
        "1791636936250125999|1791636936250125|false",
        "2026-10-10 12:55:36,250|1791636936250000|false",
        "2026-10-10T12:55:36|1791636936000000|true",
        "2026-10-10T14:55:36+02|1791636936000000|true",
        "2026-10-10 14:55:36 +0200|1791636936000000|true",
        "2026-10-10T12:55:36.123456789Z|1791636936123456|false",
        "10/Oct/2026:05:25:36 -0730|1791636936000000|true",
        "29/Feb/2024:00:00:00 +0000|1709164800000000|true",
      },
      delimiter = '|')
  void otherFormatsAreParsed(String text, long micros, boolean coarse) {
    assertThat(read(text)).isTrue();
    assertThat(time.micros()).isEqualTo(micros);
    assertThat(time.isCoarse()).isEqualTo(coarse);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "x",
        "10/Okt/2026:13:55:36 +0000",
        "10/Oct/2026:25:55:36 +0000",
        "10/Oct/2026:13:55:36",
        "10/Oct/2026:13:55:36 0000",
        "2026-13-10T12:55:36Z",
        "2026-10-10T12:55:36Zx",
        "2026-10-10T12:55",
        "1791636936x",
        "99999999999999999999999",
        "01/Jan/1969:00:00:00 +0000",
        "2100-01-01T00:00:00Z",
        "2026-10-10T12:55:36.Z"
      })
  void invalidTimestampIsRejected(String text) {
    time.clear();
    assertThat(read(text)).isFalse();
    assertThat(time.isPresent()).isFalse();
  }
}
