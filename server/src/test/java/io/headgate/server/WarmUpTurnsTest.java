package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.WarmUpTurns.Protocol;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WarmUpTurnsTest {
  private static final EnumSet<Protocol> BOTH = EnumSet.allOf(Protocol.class);

  private final WarmUpTurns turns = new WarmUpTurns();

  @Test
  void usedTimesNeverDifferByMoreThanTheLongestTurn() {
    var random = new Random(7);
    Map<Protocol, Long> used = new EnumMap<>(Protocol.class);
    long longest = 0;
    for (int i = 0; i < 1_000; i++) {
      var protocol = turns.next(BOTH).orElseThrow();
      // Turns of gRPC overrun, as those with slow batches of calls do.
      long nanos = 50L + random.nextInt(protocol == Protocol.GRPC ? 500 : 10);
      turns.record(protocol, nanos);
      used.merge(protocol, nanos, Long::sum);
      longest = Math.max(longest, nanos);
      long http = used.getOrDefault(Protocol.HTTP, 0L);
      long grpc = used.getOrDefault(Protocol.GRPC, 0L);
      assertThat(Math.abs(http - grpc)).isLessThanOrEqualTo(longest);
    }
  }

  @Test
  void protocolWithCallsLeftGetsTheRestOfTheTime() {
    turns.record(Protocol.GRPC, 1_000);
    assertThat(turns.next(EnumSet.of(Protocol.GRPC))).contains(Protocol.GRPC);
  }

  @Test
  void noTurnFollowsOnceBothAreFinished() {
    assertThat(turns.next(EnumSet.noneOf(Protocol.class))).isEmpty();
  }
}
