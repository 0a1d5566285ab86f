package io.headgate;

import static io.headgate.Limiters.limiter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.SlotToken.SlotRef;
import io.headgate.limit.Concurrency;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTokenTest {
  private static final SlotToken TOKEN =
      new SlotToken(
          -7, List.of(new SlotRef("r", -1, "r", "user:42"), new SlotRef("s", 3, "a", "")));

  @Test
  void tokenSurvivesEncodingAndDecoding() {
    assertThat(SlotToken.decode(TOKEN.encode())).isEqualTo(TOKEN);
    assertThat(TOKEN.encode()).as("fit for an address").matches("[A-Za-z0-9_-]+");
  }

  @Test
  void tokenMayContainManySlotsOfManyOverrides() {
    var slots = new ArrayList<SlotRef>();
    for (int i = 0; i < 1_000; i++) slots.add(new SlotRef("rule" + i, i * 100, "n", "k"));
    var token = new SlotToken(1, slots);
    assertThat(SlotToken.decode(token.encode())).isEqualTo(token);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 21_844, 21_845, 21_846, 43_690, 50_000})
  void tokenMayContainAKeyOfAnyLength(int length) {
    var token = new SlotToken(1, List.of(new SlotRef("r", -1, "r", "語".repeat(length))));
    assertThat(SlotToken.decode(token.encode())).isEqualTo(token);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "!!!", "AAAA", "not a lease", "AAAAAAAAAAAAAA", "é", "AAAA====="})
  void invalidSlotIdIsRejectedWithAMessage(String text) {
    var limiter = limiter(new ManualTicker(), Rule.named("r").limit(Concurrency.of(1)).build());
    for (Runnable use : List.<Runnable>of(() -> limiter.renew(text), () -> limiter.release(text))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("not a valid slot id; use the id returned when the slot was acquired");
    }
  }

  @Test
  void truncatedOrExtendedTokenIsRejected() {
    var text = TOKEN.encode();
    for (int length = 0; length < text.length(); length++) {
      var cut = text.substring(0, length);
      assertThatThrownBy(() -> SlotToken.decode(cut))
          .as(cut)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> SlotToken.decode(text + "AAAA"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void forgedHolderHasNoEffect() {
    var limiter = limiter(new ManualTicker(), Rule.named("r").limit(Concurrency.of(2)).build());
    var slot = limiter.acquire(Subject.of("x"));
    var real = SlotToken.decode(slot.id().orElseThrow());
    for (long holder : new long[] {0, 1, real.holder() + 1, ~real.holder()}) {
      var forged = new SlotToken(holder, real.slots()).encode();
      assertThat(limiter.release(forged)).isFalse();
      assertThat(limiter.renew(forged)).isFalse();
    }
    assertThat(slot.renew()).isTrue();
  }

  @Test
  void tokenOfUnknownLimitsHasNoEffect() {
    var limiter = limiter(new ManualTicker(), Rule.named("r").limit(Concurrency.of(2)).build());
    for (var slot :
        List.of(
            new SlotRef("other", -1, "r", ""),
            new SlotRef("r", -1, "other", ""),
            new SlotRef("r", 99, "r", ""),
            new SlotRef("r", -1, "r", "no such key"))) {
      assertThat(limiter.release(new SlotToken(1, List.of(slot)).encode())).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "é", "語", "😀", "\uD800", "\u0000"})
  void slotsWithKeysOfAnyCharactersAndMaximumLengthCanBeReleased(String unit) {
    var text = unit.repeat(Subject.MAX_VALUE_LENGTH / unit.length());
    var limiter =
        limiter(
            new ManualTicker(), Rule.named("r").match("key", "*").limit(Concurrency.of(1)).build());
    var slot = limiter.acquire(Subject.of(text));
    assertThat(slot.isAllowed()).isTrue();
    assertThat(slot.renew()).isTrue();
    assertThat(limiter.release(slot.id().orElseThrow())).isTrue();
  }

  @Test
  void slotWithAllAttributesAtMaximumLengthCanBeReleased() {
    var attributes = new LinkedHashMap<String, String>();
    for (int i = 0; i < Subject.MAX_ATTRIBUTES; i++) {
      attributes.put("a" + i, "語".repeat(Subject.MAX_VALUE_LENGTH));
    }
    var limiter =
        limiter(
            new ManualTicker(),
            Rule.named("r")
                .per(attributes.keySet().toArray(String[]::new))
                .limit(Concurrency.of(1))
                .build());
    var slot = limiter.acquire(Subject.of(attributes));
    assertThat(slot.renew()).isTrue();
    assertThat(limiter.release(slot.id().orElseThrow())).isTrue();
  }
}
