package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.NumberWriter;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.ReturnHistory.Span;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredReturnsTest {
  @Test
  void returnsAreReadAsWritten() {
    var spans =
        List.of(new Span(0, 5, 0), new Span(1L << 50, 7, 1L << 40), new Span(1L << 51, 0, 0));
    var history = new ReturnHistory(1L << 52, 1L << 51, spans);
    assertThat(StoredReturns.decode(StoredReturns.encode(history))).isEqualTo(history);
  }

  @Test
  void returnsOfAnotherFormatAreRefused() {
    var bytes = new NumberWriter().put(2).put(0).put(0).put(0).toByteArray();
    assertThatThrownBy(() -> StoredReturns.decode(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("returns are stored in format 2; this member reads 1");
  }
}
