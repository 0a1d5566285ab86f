package io.headgate;

import static io.headgate.Limiters.limiter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.SlotToken.Slot;
import io.headgate.limit.Concurrency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTokenTest {
  private static final SlotToken TICKET =
      new SlotToken(-7, List.of(new Slot("r", -1, "r", "user:42"), new Slot("s", 3, "a", "")));

  @Test
  void aTicketSurvivesItsText() {
    assertThat(SlotToken.decode(TICKET.encode())).isEqualTo(TICKET);
    assertThat(TICKET.encode()).as("fit for an address").matches("[A-Za-z0-9_-]+");
  }

  @Test
  void aTicketMayHoldManySlotsOfManyOverrides() {
    var slots = new ArrayList<Slot>();
    for (int i = 0; i < 1_000; i++) slots.add(new Slot("rule" + i, i * 100, "n", "k"));
    var ticket = new SlotToken(1, slots);
    assertThat(SlotToken.decode(ticket.encode())).isEqualTo(ticket);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 21_844, 21_845, 21_846, 43_690, 50_000})
  void aTicketMayHoldAKeyOfAnyLength(int length) {
    var ticket = new SlotToken(1, List.of(new Slot("r", -1, "r", "語".repeat(length))));
    assertThat(SlotToken.decode(ticket.encode())).isEqualTo(ticket);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "!!!", "AAAA", "not a lease", "AAAAAAAAAAAAAA", "é", "AAAA====="})
  void whatIsNoTicketIsRefusedInWords(String text) {
    var limiter = limiter(new ManualTicker(), Rule.named("r").limit(Concurrency.of(1)).build());
    for (Runnable use : List.<Runnable>of(() -> limiter.renew(text), () -> limiter.release(text))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("this is not the id of a lease; use the one that acquiring it gave");
    }
  }

  @Test
  void aTicketThatWasCutOrExtendedIsRefused() {
    var text = TICKET.encode();
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
  void aForgedHolderDoesNothing() {
    var limiter = limiter(new ManualTicker(), Rule.named("r").limit(Concurrency.of(2)).build());
    var lease = limiter.acquire(Subject.of("x"));
    var real = SlotToken.decode(lease.id().orElseThrow());
    for (long holder : new long[] {0, 1, real.holder() + 1, ~real.holder()}) {
      var forged = new SlotToken(holder, real.slots()).encode();
      assertThat(limiter.release(forged)).isFalse();
      assertThat(limiter.renew(forged)).isFalse();
    }
    assertThat(lease.renew()).isTrue();
  }

  @Test
  void aTicketForLimitsThatDoNotExistDoesNothing() {
    var limiter = limiter(new ManualTicker(), Rule.named("r").limit(Concurrency.of(2)).build());
    for (var slot :
        List.of(
            new Slot("other", -1, "r", ""),
            new Slot("r", -1, "other", ""),
            new Slot("r", 99, "r", ""),
            new Slot("r", -1, "r", "no such key"))) {
      assertThat(limiter.release(new SlotToken(1, List.of(slot)).encode())).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "é", "語", "😀", "\uD800", "\u0000"})
  void keysOfAnyCharactersAndTheGreatestLengthCanBeReleased(String unit) {
    var text = unit.repeat(Subject.LONGEST_VALUE / unit.length());
    var limiter =
        limiter(
            new ManualTicker(), Rule.named("r").match("key", "*").limit(Concurrency.of(1)).build());
    var lease = limiter.acquire(Subject.of(text));
    assertThat(lease.isAllowed()).isTrue();
    assertThat(lease.renew()).isTrue();
    assertThat(limiter.release(lease.id().orElseThrow())).isTrue();
  }

  @Test
  void aCallerWithAllAttributesAtTheirLongestCanBeReleased() {
    var attributes = new LinkedHashMap<String, String>();
    for (int i = 0; i < Subject.MOST_ATTRIBUTES; i++) {
      attributes.put("a" + i, "語".repeat(Subject.LONGEST_VALUE));
    }
    var limiter =
        limiter(
            new ManualTicker(),
            Rule.named("r")
                .per(attributes.keySet().toArray(String[]::new))
                .limit(Concurrency.of(1))
                .build());
    var lease = limiter.acquire(Request.of(Subject.of(attributes)));
    assertThat(lease.renew()).isTrue();
    assertThat(limiter.release(lease.id().orElseThrow())).isTrue();
  }
}
