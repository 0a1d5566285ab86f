package io.headgate.server.api;

import java.util.Optional;

/**
 * A CIDR block of addresses, such as {@code 10.0.0.0/8}; a single address is a block of one.
 *
 * @param bits the length of the prefix in the 128-bit form of the address
 */
record AddressBlock(ClientAddress base, int bits) {
  AddressBlock {
    base = base.prefix(bits);
  }

  boolean contains(ClientAddress address) {
    return address.prefix(bits).equals(base);
  }

  /** Parses an address or a CIDR block; returns empty if the text is neither. */
  static Optional<AddressBlock> parse(String text) {
    int slash = text.indexOf('/');
    String before = slash < 0 ? text : text.substring(0, slash);
    var address = ClientAddress.parse(before);
    if (address.isEmpty()) return Optional.empty();
    boolean asV4 = before.indexOf(':') < 0;
    int maxLength = asV4 ? 32 : 128;
    int length = slash < 0 ? maxLength : length(text.substring(slash + 1));
    if (length < 0 || length > maxLength) return Optional.empty();
    return Optional.of(new AddressBlock(address.get(), asV4 ? length + 96 : length));
  }

  /** Returns the prefix length, or -1 if it is not a number. */
  private static int length(String digits) {
    return digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
  }
}
