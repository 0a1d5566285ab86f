package io.headgate.rulefile;

import io.headgate.testkit.Fuzzer;
import org.junit.jupiter.api.Test;

/** Runs the fuzz target briefly; {@code ./fuzz} runs it longer. */
class RuleFileFuzzTest {
  @Test
  void everyTextIsReadOrRejectedAndRulesReadBackEqual() {
    Fuzzer.check(RuleFileFuzzTarget.class);
  }
}
