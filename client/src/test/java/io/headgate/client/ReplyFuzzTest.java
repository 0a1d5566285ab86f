package io.headgate.client;

import io.headgate.testkit.Fuzzer;
import org.junit.jupiter.api.Test;

/** A brief run of the fuzz target of the client; {@code ./fuzz reply} runs it for longer. */
class ReplyFuzzTest {
  @Test
  void everySeedAndMutatedInputIsReadOrRejectedAsDocumented() {
    Fuzzer.checkSeeds(ReplyFuzzTarget.class);
    Fuzzer.check(ReplyFuzzTarget.class);
  }
}
