package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.ReservationToken.ChargeRef;
import io.headgate.store.ReservationStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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

class ReservationTokenProperties {
  private static final byte[] SECRET =
      "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHER = new byte[32];

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void tokenSurvivesEncryption(@ForAll("tokens") ReservationToken token) {
    var id = token.seal(SECRET);
    assertThat(ReservationToken.open(List.of(SECRET), id)).contains(token);
    assertThat(ReservationToken.open(List.of(OTHER, SECRET), id)).contains(token);
    assertThat(ReservationToken.open(List.of(OTHER), id)).isEmpty();
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void changedIdIsRejected(
      @ForAll("tokens") ReservationToken token,
      @ForAll @IntRange(max = 10_000) int place,
      @ForAll @IntRange(min = 1, max = 255) int change) {
    var bytes = Base64.getUrlDecoder().decode(token.seal(SECRET));
    bytes[place % bytes.length] ^= (byte) change;
    var id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    assertThat(ReservationToken.open(List.of(SECRET), id)).isEmpty();
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void arbitraryTextIsRejected(@ForAll String text) {
    assertThat(ReservationToken.open(List.of(SECRET), text)).isEmpty();
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void idsOfOneSubjectBeginAlikeAndThoseOfOthersDoNot(
      @ForAll("tokens") ReservationToken token, @ForAll("tokens") ReservationToken other) {
    if (token.charges().isEmpty()) return;
    var first = beginning(SECRET, token.charges(), (byte) 1);
    assertThat(beginning(SECRET, token.charges(), (byte) 2)).isEqualTo(first);
    assertThat(beginning(OTHER, token.charges(), (byte) 1)).isNotEqualTo(first);
    if (!counters(other).equals(counters(token))) {
      assertThat(beginning(SECRET, other.charges(), (byte) 2)).isNotEqualTo(first);
    }
  }

  private static String beginning(byte[] secret, List<ChargeRef> charges, byte random) {
    var bytes = new byte[TokenCipher.NONCE_BYTES];
    Arrays.fill(bytes, random);
    var nonce = ReservationToken.nonce(secret, bytes, charges);
    var id =
        new ReservationToken(
                Base64.getUrlEncoder().withoutPadding().encodeToString(nonce),
                false,
                1,
                1,
                0,
                charges)
            .seal(secret);
    return ReservationStore.subjectOf(id);
  }

  private static List<String> counters(ReservationToken token) {
    return token.charges().stream()
        .map(charge -> charge.rule() + '|' + charge.name() + '|' + charge.key())
        .toList();
  }

  @Provide
  Arbitrary<ReservationToken> tokens() {
    var names = Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(5);
    var keys =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(40), // has lone surrogates
            Arbitraries.of("", "user:42", "x".repeat(3_000)));
    var numbers = Arbitraries.longs().between(0, 1L << 53);
    var charges =
        Combinators.combine(
                names,
                Arbitraries.integers().between(-1, 300),
                names,
                keys,
                numbers,
                numbers,
                numbers,
                Arbitraries.longs())
            .as((rule, override, name, key, amount, at, fresh, print) ->
                new ChargeRef(rule, override, name, key, amount, at, at + fresh, print));
    return Combinators.combine(
            Arbitraries.bytes().array(byte[].class).ofSize(TokenCipher.NONCE_BYTES),
            Arbitraries.of(true, false),
            numbers,
            Arbitraries.longs(),
            charges.list().ofMaxSize(4))
        .as((nonce, local, time, holder, list) ->
            new ReservationToken(
                Base64.getUrlEncoder().withoutPadding().encodeToString(nonce),
                local,
                time,
                time,
                holder,
                twice(list)));
  }

  /** Repeats charges, whose rules and keys are then written once. */
  private static List<ChargeRef> twice(List<ChargeRef> charges) {
    var all = new ArrayList<ChargeRef>();
    for (var charge : charges) {
      all.add(charge);
      all.add(charge);
    }
    return all;
  }
}
