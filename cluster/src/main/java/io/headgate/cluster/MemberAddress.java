package io.headgate.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * The address of a member: a host name, an IPv4 address, or an IPv6 address in brackets, and a
 * port.
 *
 * @param host the name or address, without brackets
 * @param port 1 to 65535
 */
public record MemberAddress(String host, int port) {
  private static final int MAX_ADDRESSES = 256;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public MemberAddress {
    if (!host.matches("[A-Za-z0-9._:-]{1,255}") || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "a member is HOST:PORT, such as 10.0.0.1:7574, got '%s' and %d".formatted(host, port));
    }
  }

  /**
   * Parses an address; the port is {@link ClusterOptions#DEFAULT_PORT} if there is none.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static MemberAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    boolean bracketed = text.startsWith("[");
    int close = text.indexOf(']');
    boolean hasPort = bracketed ? colon == close + 1 : colon > 0 && text.indexOf(':') == colon;
    var host = hasPort ? text.substring(0, colon) : text;
    if (bracketed && close == host.length() - 1) host = host.substring(1, close);
    try {
      int port =
          hasPort ? Integer.parseInt(text.substring(colon + 1)) : ClusterOptions.DEFAULT_PORT;
      return new MemberAddress(host, port);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "a member is HOST:PORT, such as 10.0.0.1:7574, got '%s'".formatted(text), e);
    }
  }

  /**
   * Parses addresses that are separated by commas.
   *
   * @throws IllegalArgumentException if one is not valid or there is none
   */
  public static List<MemberAddress> parseAll(String text) {
    var all = new ArrayList<MemberAddress>();
    for (var each : text.split(",", -1)) all.add(parse(each.strip()));
    if (all.size() > MAX_ADDRESSES) {
      throw new IllegalArgumentException(
          "at most %d members can be named, got %d".formatted(MAX_ADDRESSES, all.size()));
    }
    return List.copyOf(all);
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[%s]:%d".formatted(host, port) : host + ":" + port;
  }
}
