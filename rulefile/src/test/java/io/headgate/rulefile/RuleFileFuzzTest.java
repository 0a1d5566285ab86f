package io.headgate.rulefile;

import io.headgate.testkit.Fuzzer;
import org.junit.jupiter.api.Test;

/** A brief run of the fuzz target; {@code ./fuzz} runs it longer. */
class RuleFileFuzzTest {
  @Test
  void everyTextIsReadOrRejectedAndRulesReadBackEqual() {
    Fuzzer.check(RuleFileFuzzTarget.class);
  }
}
