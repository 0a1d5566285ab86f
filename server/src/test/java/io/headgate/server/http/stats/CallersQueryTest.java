package io.headgate.server.http.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerMask;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallersQueryTest {
  private static final CallersQuery ALL =
      new CallersQuery(CallersQuery.Sort.DENIED, Optional.empty(), "", 50);

  @ParameterizedTest
  @CsvSource({
    "0,0,0",
    "0,100,0",
    "1,2,0.5",
    "1,1000,0.001",
    "1,3000,0.000334",
    "1,1000000000,0.000001",
  })
  void errorBoundIsRoundedUp(double floor, double total, String shown) {
    var answer = ALL.answer(new CallerList(5_000, 1, 1, floor, total, List.of()), CallerMask.NONE);
    assertThat(answer.toString()).contains("\"error\":" + shown + ",");
  }

  @Test
  void callersAreSerializedOnAVirtualThread() {
    var callers = new CompletableFuture<CallerList>();
    var writer = new CompletableFuture<Thread>();
    var written =
        StatsHandlers.serialize(
            () -> callers,
            list -> {
              writer.complete(Thread.currentThread());
              return ALL.answer(list, CallerMask.NONE);
            });
    callers.complete(new CallerList(5_000, 1, 1, 0, 0, List.of()));
    assertThat(written.toCompletableFuture().join().toString()).contains("\"now\":5000");
    assertThat(writer.join().isVirtual()).isTrue();
  }
}
