package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.SlotToken.Slot;
import java.util.Base64;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class SlotTokenProperties {
  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void aTicketSurvivesItsText(@ForAll("tickets") SlotToken ticket) {
    assertThat(SlotToken.decode(ticket.encode())).isEqualTo(ticket);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void aTicketWithOneByteChangedIsAnotherTicketOrNone(
      @ForAll("tickets") SlotToken ticket,
      @ForAll @IntRange(max = 10_000) int place,
      @ForAll @IntRange(min = 1, max = 255) int change) {
    var bytes = Base64.getUrlDecoder().decode(ticket.encode());
    bytes[place % bytes.length] ^= (byte) change;
    assertDecodedOrRefused(Base64.getUrlEncoder().encodeToString(bytes), ticket);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void anyTextIsATicketOrRefused(@ForAll String text) {
    assertDecodedOrRefused(text, new SlotToken(0, List.of()));
  }

  private static void assertDecodedOrRefused(String text, SlotToken unlike) {
    try {
      assertThat(SlotToken.decode(text)).isNotEqualTo(unlike);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("this is not the id of a lease");
    }
  }

  @Provide
  Arbitrary<SlotToken> tickets() {
    var names = Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(5);
    var slots =
        Combinators.combine(
                names,
                Arbitraries.integers().between(-1, 100_000),
                names,
                Arbitraries.strings().ofMaxLength(20))
            .as(Slot::new);
    return Combinators.combine(Arbitraries.longs(), slots.list().ofMinSize(1).ofMaxSize(4))
        .as(SlotToken::new);
  }
}
