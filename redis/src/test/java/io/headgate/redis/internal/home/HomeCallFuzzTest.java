package io.headgate.redis.internal.home;

import io.headgate.testkit.Fuzzer;
import org.junit.jupiter.api.Test;

/** A brief run of the fuzz target of home; {@code ./fuzz home-call} runs it for longer. */
class HomeCallFuzzTest {
  @Test
  void everySeedAndMutatedCallIsRejectedOrBounded() {
    Fuzzer.checkSeeds(HomeCallFuzzTarget.class);
    Fuzzer.check(HomeCallFuzzTarget.class);
  }
}
