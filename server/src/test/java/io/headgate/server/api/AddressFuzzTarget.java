package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.ClientAddress;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.IpAddress;
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
 * Trusted proxies and rules accept the same blocks and read the same bits, so that the address of a
 * trusted proxy is the address that a rule matches. The JDK's parser and arithmetic on big integers
 * agree. The input is a block, a newline and an address.
 */
public final class AddressFuzzTarget {
  private static final int ALL_OF_V4 = 96;

  public static void fuzzerTestOneInput(byte[] input) {
    var parts = new String(input, StandardCharsets.UTF_8).split("\n", 2);
    requireAddress(parts[0]);
    var block = cidr(parts[0]);
    String text = parts.length < 2 ? parts[0] : parts[1];
    var address = requireAddress(text);
    if (parts[0].equals(parts[0].strip())) {
      assertThat(isProxy(parts[0])).as(parts[0]).isEqualTo(block.isPresent());
    }
    if (block.isEmpty() || address.isEmpty()) return;
    requireSameMembers(block.get(), text, address.get());
  }

  /** Returns the address, if the text is one, after comparing its forms. */
  private static Optional<ClientAddress> requireAddress(String text) {
    var address = ClientAddress.parse(text);
    boolean isBlockOfOne = text.indexOf('/') < 0 && cidr(text).isPresent();
    assertThat(address.isPresent()).as(text).isEqualTo(isBlockOfOne);
    if (address.isEmpty()) return address;
    requireBitsOfTheJdk(text, address.get());
    requireOneForm(address.get());
    return address;
  }

  /**
   * The JDK's parser reads the same bits. It resolves no names, since it only gets valid addresses.
   * The JDK itself accepts more, such as 010.1.1 and groups of five digits.
   */
  private static void requireBitsOfTheJdk(String text, ClientAddress address) {
    try {
      var jdk = ClientAddress.of(new InetSocketAddress(InetAddress.getByName(text), 0));
      assertThat(address).as(text).isEqualTo(jdk);
      assertThat(number(address.ip())).as(text).isEqualTo(number(InetAddress.getByName(text)));
    } catch (UnknownHostException e) {
      throw new AssertionError(text + " is not an address to the JDK", e);
    }
  }

  private static void requireOneForm(ClientAddress address) {
    assertThat(ClientAddress.parse(address.toString())).contains(address);
    assertThat(address.network().network()).isEqualTo(address.network());
    assertThat(cidr(address.toString()).orElseThrow().matches(address.toString())).isTrue();
  }

  private static void requireSameMembers(Cidr block, String text, ClientAddress address) {
    int rest = 128 - block.bits();
    boolean expected =
        number(address.ip()).shiftRight(rest).equals(number(block.address()).shiftRight(rest));
    if (block.text().equals(block.text().strip())) {
      var proxies = TrustedProxies.of(List.of(block.text()));
      assertThat(proxies.isTrusted(address)).isEqualTo(expected);
    }
    // In rules, IPv6 blocks that are wider than all of IPv4 match IPv6 only.
    boolean inRules = expected && (block.bits() >= ALL_OF_V4 || !address.ip().isV4());
    assertThat(block.matches(text)).isEqualTo(inRules);
  }

  private static BigInteger number(IpAddress address) {
    return new BigInteger(
        1, ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low()).array());
  }

  /** Returns the bits of the JDK's address, with the prefix of IPv4-mapped ones before IPv4. */
  private static BigInteger number(InetAddress address) {
    var bits = new BigInteger(1, address.getAddress());
    return address.getAddress().length == 16
        ? bits
        : bits.add(BigInteger.valueOf(0xffff_0000_0000L));
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
