package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConsistencyOptionsTest {
  private static final ConsistencyOptions DEFAULT = ConsistencyOptions.DEFAULT;

  @Test
  void eachWitherReplacesOneOption() {
    var second = Duration.ofSeconds(1);
    var options = DEFAULT.withSyncInterval(second).withShare(4).withMaxKeys(9);
    assertThat(options.syncInterval()).isEqualTo(second);
    assertThat(options.share()).isEqualTo(4);
    assertThat(options.maxKeys()).isEqualTo(9);
    assertThat(DEFAULT.withShare(4).syncInterval()).isEqualTo(DEFAULT.syncInterval());
    assertThat(DEFAULT.withShare(4).maxKeys()).isEqualTo(DEFAULT.maxKeys());
  }

  @Test
  void invalidOptionsAreRejected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULT.withSyncInterval(Duration.ofMillis(4)))
        .withMessage("eventual rules can report every 5 ms to 10 s, got 4 ms; the default is 100");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULT.withShare(1))
        .withMessageContaining("got share 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULT.withMaxKeys(0))
        .withMessageContaining("at least 1 counter must be kept, got 0");
  }
}
