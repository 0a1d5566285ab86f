package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Pattern.Cidr;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The service and the rules accept the same addresses and blocks and read the same bits, so that
 * the address of a trusted proxy is the address that a rule matches. The JDK's parser and
 * arithmetic on big integers agree. The input is a block, a newline and an address.
 */
public final class AddressFuzzTarget {
  private static final int ALL_OF_V4 = 96;

  public static void fuzzerTestOneInput(byte[] input) {
    var parts = new String(input, StandardCharsets.UTF_8).split("\n", 2);
    var block = requireSameBlock(parts[0]);
    var address = requireSameBlock(parts.length < 2 ? parts[0] : parts[1]);
    if (block.isEmpty() || address.isEmpty()) return;
    String text = parts.length < 2 ? parts[0] : parts[1];
    if (text.indexOf('/') >= 0) return;
    requireSameMembers(block.get(), parts[0], text);
  }

  private static Optional<AddressBlock> requireSameBlock(String text) {
    var network = AddressBlock.parse(text);
    var cidr = cidr(text);
    requireBitsOfTheJdk(text);
    assertThat(network.isPresent()).as("'%s' in rules: %s", text, cidr).isEqualTo(cidr.isPresent());
    if (text.equals(text.strip())) assertThat(isProxy(text)).isEqualTo(network.isPresent());
    if (cidr.isEmpty() || network.isEmpty()) return Optional.empty();
    var found = network.get();
    assertThat(found.bits()).isEqualTo(cidr.get().bits());
    assertThat(found.base())
        .isEqualTo(new ClientAddress(cidr.get().high(), cidr.get().low()).prefix(found.bits()));
    if (text.indexOf('/') < 0) requireOneForm(ClientAddress.parse(text).orElseThrow());
    return network;
  }

  /**
   * The JDK's parser reads the same bits. It resolves no names, since it only gets valid addresses.
   * The JDK itself accepts more, such as 010.1.1 and groups of five digits.
   */
  private static void requireBitsOfTheJdk(String text) {
    var address = ClientAddress.parse(text);
    if (address.isEmpty()) return;
    try {
      var jdk = ClientAddress.of(new InetSocketAddress(InetAddress.getByName(text), 0));
      assertThat(address).as(text).contains(jdk);
    } catch (UnknownHostException e) {
      throw new AssertionError(text + " is not an address to the JDK", e);
    }
  }

  private static void requireOneForm(ClientAddress address) {
    assertThat(ClientAddress.parse(address.toString())).contains(address);
    assertThat(address.network().network()).isEqualTo(address.network());
    assertThat(cidr(address.toString()).orElseThrow().matches(address.toString())).isTrue();
  }

  private static void requireSameMembers(AddressBlock block, String blockText, String addressText) {
    var address = ClientAddress.parse(addressText).orElseThrow();
    int rest = 128 - block.bits();
    boolean expected =
        number(address).shiftRight(rest).equals(number(block.base()).shiftRight(rest));
    assertThat(block.contains(address)).isEqualTo(expected);
    // In rules, IPv6 blocks that are wider than all of IPv4 match IPv6 only.
    boolean inRules = expected && (block.bits() >= ALL_OF_V4 || !address.isV4());
    assertThat(cidr(blockText).orElseThrow().matches(addressText)).isEqualTo(inRules);
  }

  private static BigInteger number(ClientAddress address) {
    return new BigInteger(
        1, ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low()).array());
  }

  private static Optional<Cidr> cidr(String text) {
    try {
      return Optional.of(Cidr.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isProxy(String text) {
    try {
      TrustedProxies.of(List.of(text));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private AddressFuzzTarget() {}
}
