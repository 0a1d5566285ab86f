package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.store.StoreException.Kind;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StoreExceptionTest {
  @Test
  void hasCauseAndNoStackTrace() {
    var cause = new IllegalStateException();
    var e = new StoreException(Kind.REFUSED, "READONLY", cause);
    assertThat(e).hasMessage("READONLY").hasCause(cause);
    assertThat(e.getStackTrace()).isEmpty();
    assertThat(e.kind()).isEqualTo(Kind.REFUSED);
  }

  @Test
  void kindsHaveLabelsForMetrics() {
    assertThat(Stream.of(Kind.values()).map(Kind::label))
        .containsExactly(
            "timeout", "connection", "refused", "overloaded", "full", "interrupted", "other");
  }
}
