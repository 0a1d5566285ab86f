package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.store.ConsistencyOptions;
import io.headgate.store.OutageListener;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisOptionsTest {
  @Test
  void optionsOfAnAddressHaveTheDefaults() {
    var options = RedisOptions.of("redis://localhost:7000");
    assertThat(options.address()).hasToString("localhost:7000");
    assertThat(options.prefix()).isEqualTo("headgate:");
    assertThat(options.layout()).isEqualTo(KeyLayout.SEPARATE);
    assertThat(options.deadline()).isEqualTo(Duration.ofMillis(50));
    assertThat(options.warmUpCalls()).isEqualTo(100);
    assertThat(options.ca()).isEmpty();
    assertThat(options.outageListener()).isSameAs(OutageListener.NONE);
    assertThat(options.roundTripListener()).isSameAs(RoundTripListener.NONE);
    assertThat(options.consistency()).isSameAs(ConsistencyOptions.DEFAULT);
  }

  @Test
  void builderOfOptionsKeepsEverySetting() {
    var outages = new OutageListener() {};
    RoundTripListener roundTrips = (commands, nanos) -> {};
    var consistency = ConsistencyOptions.DEFAULT.withShare(4);
    var options =
        RedisOptions.builder("rediss://localhost:7000")
            .prefix("shop:")
            .layout(KeyLayout.COMPACT)
            .deadline(Duration.ofMillis(20))
            .warmUpCalls(7)
            .ca(Path.of("ca.pem"))
            .outageListener(outages)
            .roundTripListener(roundTrips)
            .consistency(consistency)
            .build()
            .toBuilder()
            .build();
    assertThat(options.address()).hasToString("localhost:7000");
    assertThat(options.prefix()).isEqualTo("shop:");
    assertThat(options.layout()).isEqualTo(KeyLayout.COMPACT);
    assertThat(options.deadline()).isEqualTo(Duration.ofMillis(20));
    assertThat(options.warmUpCalls()).isEqualTo(7);
    assertThat(options.ca()).contains(Path.of("ca.pem"));
    assertThat(options.outageListener()).isSameAs(outages);
    assertThat(options.roundTripListener()).isSameAs(roundTrips);
    assertThat(options.consistency()).isSameAs(consistency);
  }

  @Test
  void compactKeysOfRegionsAreRejected() {
    var separate = RedisOptions.of("redis://localhost");
    var compact = separate.toBuilder().layout(KeyLayout.COMPACT).build();
    var lease = RegionOptions.DEFAULT_LEASE;
    var message =
        "the key layout compact can't be combined with a home of regions; use the layout separate";
    assertThatThrownBy(() -> new RegionOptions("eu", compact, separate, lease)).hasMessage(message);
    assertThatThrownBy(() -> new RegionOptions("eu", separate, compact, lease)).hasMessage(message);
  }

  @Test
  void invalidOptionsAreRejected() {
    var options = RedisOptions.builder("redis://localhost");
    assertThatThrownBy(() -> options.prefix("a{b}"))
        .hasMessage("a key prefix may have 64 letters, digits or any of . _ - / : @, got 'a{b}'");
    assertThatThrownBy(() -> options.deadline(Duration.ZERO))
        .hasMessage("the deadline of a call must be 1 ms to 1 min, got PT0S");
    assertThatThrownBy(() -> options.warmUpCalls(-1))
        .hasMessage("the number of warm-up calls must not be negative, got -1");
  }
}
