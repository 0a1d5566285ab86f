package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.SlotToken.SlotRef;
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
  void tokenSurvivesEncodingAndDecoding(@ForAll("tokens") SlotToken token) {
    assertThat(SlotToken.decode(token.encode())).isEqualTo(token);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void corruptedTokenIsAnotherTokenOrRejected(
      @ForAll("tokens") SlotToken token,
      @ForAll @IntRange(max = 10_000) int place,
      @ForAll @IntRange(min = 1, max = 255) int change) {
    var bytes = Base64.getUrlDecoder().decode(token.encode());
    bytes[place % bytes.length] ^= (byte) change;
    assertDecodedOrRefused(Base64.getUrlEncoder().encodeToString(bytes), token);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void arbitraryTextIsDecodedOrRejected(@ForAll String text) {
    assertDecodedOrRefused(text, new SlotToken(0, List.of()));
  }

  private static void assertDecodedOrRefused(String text, SlotToken unlike) {
    try {
      assertThat(SlotToken.decode(text)).isNotEqualTo(unlike);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("not a valid slot id");
    }
  }

  @Provide
  Arbitrary<SlotToken> tokens() {
    var names = Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(5);
    var slots =
        Combinators.combine(
                names,
                Arbitraries.integers().between(-1, 100_000),
                names,
                Arbitraries.strings().ofMaxLength(20))
            .as(SlotRef::new);
    return Combinators.combine(Arbitraries.longs(), slots.list().ofMinSize(1).ofMaxSize(4))
        .as(SlotToken::new);
  }
}
