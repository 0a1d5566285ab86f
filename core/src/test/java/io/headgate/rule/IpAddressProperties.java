package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class IpAddressProperties {
  private static final BigInteger MAPPED = BigInteger.valueOf(0xffff_0000_0000L);

  @Property(tries = 4_000)
  void acceptsTheSameAddressesAsASplittingParser(@ForAll("nearlyAddresses") String text) {
    var address = Optional.ofNullable(IpAddress.parse(text)).map(IpAddressProperties::number);
    assertThat(address).as(text).isEqualTo(splitAndParse(text));
  }

  @Property(tries = 1_000)
  void blockContainsAddressesWithItsPrefix(
      @ForAll("ipv6") BigInteger base,
      @ForAll @IntRange(max = 128) int length,
      @ForAll @IntRange(max = 127) int flipped) {
    var block = Pattern.Cidr.parse(ipv6(base) + "/" + length);
    for (var address : List.of(base, base.flipBit(flipped))) {
      boolean inside = first(length, 128, address).equals(first(length, 128, base));
      boolean ipv4 = address.shiftRight(32).equals(MAPPED.shiftRight(32));
      assertThat(block.matches(ipv6(address)))
          .as("%s in %s", ipv6(address), block.text())
          .isEqualTo(inside && (!ipv4 || length >= 96));
    }
  }

  @Property(tries = 1_000)
  void ipv4BlockContainsMappedAddresses(
      @ForAll("ipv4") long base,
      @ForAll @IntRange(max = 32) int length,
      @ForAll @IntRange(max = 31) int flipped) {
    var block = Pattern.Cidr.parse(ipv4(base) + "/" + length);
    for (long address : new long[] {base, base ^ 1L << flipped}) {
      boolean inside =
          first(length, 32, BigInteger.valueOf(address))
              .equals(first(length, 32, BigInteger.valueOf(base)));
      assertThat(block.matches(ipv4(address))).isEqualTo(inside);
      assertThat(block.matches("::ffff:" + ipv4(address))).isEqualTo(inside);
      assertThat(block.matches(ipv6(MAPPED.add(BigInteger.valueOf(address))))).isEqualTo(inside);
    }
  }

  @Property(tries = 1_000)
  void ipv6AddressesShareACounterValueIfTheirFirst64BitsAgree(
      @ForAll("ipv6") BigInteger one, @ForAll @IntRange(max = 127) int flipped) {
    var other = one.flipBit(flipped);
    if (isIpv4(one) || isIpv4(other)) return;
    assertThat(caller(one).equals(caller(other))).isEqualTo(flipped < 64);
  }

  @Provide
  Arbitrary<String> nearlyAddresses() {
    var digits = Arbitraries.of("", "0", "1", "01", "9", "a", "F", "ff", "255", "256", "12345");
    var separators = Arbitraries.of(".", ".", ":", ":", ":", "::");
    var pieces = Combinators.combine(digits, separators).as(String::concat);
    var free =
        Combinators.combine(pieces.list().ofMaxSize(9), digits)
            .as((list, last) -> String.join("", list) + last);
    return Arbitraries.oneOf(free, ipv4().map(IpAddressProperties::ipv4), compressed(), dotted());
  }

  private Arbitrary<String> compressed() {
    var groups = Arbitraries.of("0", "1", "00ff", "FFFF").list().ofMaxSize(5);
    return Combinators.combine(groups, groups)
        .as((left, right) -> String.join(":", left) + "::" + String.join(":", right));
  }

  private Arbitrary<String> dotted() {
    return Combinators.combine(compressed(), ipv4()).as((head, tail) -> head + ":" + ipv4(tail));
  }

  @Provide
  Arbitrary<BigInteger> ipv6() {
    var anything =
        Arbitraries.bigIntegers()
            .between(BigInteger.ZERO, BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE));
    return Arbitraries.oneOf(anything, ipv4().map(v4 -> MAPPED.add(BigInteger.valueOf(v4))));
  }

  @Provide
  Arbitrary<Long> ipv4() {
    return Arbitraries.longs().between(0, 0xffff_ffffL);
  }

  private static boolean isIpv4(BigInteger address) {
    return address.shiftRight(32).equals(MAPPED.shiftRight(32));
  }

  private static String caller(BigInteger address) {
    return IpAddress.parse(ipv6(address)).counterValue();
  }

  private static BigInteger first(int bits, int of, BigInteger address) {
    return address.shiftRight(of - bits);
  }

  private static BigInteger number(IpAddress address) {
    return new BigInteger(Long.toUnsignedString(address.high()))
        .shiftLeft(64)
        .add(new BigInteger(Long.toUnsignedString(address.low())));
  }

  private static String ipv4(long address) {
    return "%d.%d.%d.%d"
        .formatted(address >> 24 & 255, address >> 16 & 255, address >> 8 & 255, address & 255);
  }

  private static String ipv6(BigInteger address) {
    var groups = new ArrayList<String>();
    for (int i = 7; i >= 0; i--) {
      groups.add(address.shiftRight(16 * i).and(BigInteger.valueOf(0xffff)).toString(16));
    }
    return String.join(":", groups);
  }

  /** A reference parser that splits the text at its separators. */
  private static Optional<BigInteger> splitAndParse(String text) {
    if (!text.contains(":")) return dottedQuad(text).map(MAPPED::add);
    String hex = text;
    if (text.contains(".")) {
      int tail = text.lastIndexOf(':') + 1;
      var quad = dottedQuad(text.substring(tail));
      if (quad.isEmpty()) return Optional.empty();
      long bits = quad.get().longValueExact();
      hex = text.substring(0, tail) + "%x:%x".formatted(bits >> 16, bits & 0xffff);
    }
    int gap = hex.indexOf("::");
    if (gap < 0) return join(groups(hex), List.of(), false);
    if (gap != hex.lastIndexOf("::")) return Optional.empty();
    return join(groups(hex.substring(0, gap)), groups(hex.substring(gap + 2)), true);
  }

  private static List<String> groups(String text) {
    return text.isEmpty() ? List.of() : Arrays.asList(text.split(":", -1));
  }

  private static Optional<BigInteger> join(List<String> left, List<String> right, boolean gap) {
    int zeros = 8 - left.size() - right.size();
    if (gap ? zeros < 1 : zeros != 0) return Optional.empty();
    var all = new ArrayList<>(left);
    for (int i = 0; i < zeros; i++) all.add("0");
    all.addAll(right);
    var number = BigInteger.ZERO;
    for (var group : all) {
      if (!group.matches("[0-9a-fA-F]{1,4}")) return Optional.empty();
      number = number.shiftLeft(16).add(new BigInteger(group, 16));
    }
    return Optional.of(number);
  }

  private static Optional<BigInteger> dottedQuad(String text) {
    var parts = text.split("\\.", -1);
    if (parts.length != 4) return Optional.empty();
    long bits = 0;
    for (var part : parts) {
      if (!part.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(part) > 255) {
        return Optional.empty();
      }
      bits = bits << 8 | Integer.parseInt(part);
    }
    return Optional.of(BigInteger.valueOf(bits));
  }
}
