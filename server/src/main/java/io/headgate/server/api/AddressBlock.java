package io.headgate.server.api;

import java.util.Optional;

/** A block of addresses, such as {@code 10.0.0.0/8}; a single address is a block of one. */
record AddressBlock(ClientAddress base, int bits) {
  AddressBlock {
    base = base.prefix(bits);
  }

  boolean contains(ClientAddress address) {
    return address.prefix(bits).equals(base);
  }

  static Optional<AddressBlock> parse(String text) {
    int slash = text.indexOf('/');
    String before = slash < 0 ? text : text.substring(0, slash);
    var address = ClientAddress.parse(before);
    if (address.isEmpty()) return Optional.empty();
    boolean asV4 = before.indexOf(':') < 0;
    int most = asV4 ? 32 : 128;
    int length = slash < 0 ? most : length(text.substring(slash + 1));
    if (length < 0 || length > most) return Optional.empty();
    return Optional.of(new AddressBlock(address.get(), asV4 ? length + 96 : length));
  }

  private static int length(String digits) {
    return digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
  }
}
