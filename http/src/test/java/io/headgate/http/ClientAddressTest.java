package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressTest {
  private static SocketAddress socket(InetAddress address) {
    return new InetSocketAddress(address, 4711);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7, 192.0.2.7",
    "::ffff:192.0.2.7, 192.0.2.7, 192.0.2.7",
    "0:0:0:0:0:FFFF:C000:207, 192.0.2.7, 192.0.2.7",
    "2001:DB8:0:1::1, 2001:db8:0:1::1, 2001:db8:0:1::",
    "::1, ::1, ::",
  })
  void addressHasOneTextAndIsLimitedByItsNetwork(String written, String text, String network) {
    var address = ClientAddress.parse(written).orElseThrow();
    assertThat(address).hasToString(text).isEqualTo(ClientAddress.parse(text).orElseThrow());
    assertThat(address.network()).hasToString(network);
  }

  @Test
  void zoneOfALinkLocalPeerIsIgnored() throws UnknownHostException {
    var bytes = InetAddress.getByName("fe80::1").getAddress();
    var peer = ClientAddress.of(socket(Inet6Address.getByAddress("", bytes, 1)));
    assertThat(peer).hasToString("fe80::1");
  }

  @Test
  void mappedPeerIsTheIpv4Address() throws UnknownHostException {
    var bytes = new byte[16];
    bytes[10] = bytes[11] = (byte) 0xff;
    bytes[12] = 10;
    bytes[15] = 1;
    var peer = ClientAddress.of(socket(Inet6Address.getByAddress("", bytes, -1)));
    assertThat(peer).isEqualTo(ClientAddress.parse("10.0.0.1").orElseThrow());
  }

  @Test
  void peerWithoutAnAddressIsLoopback() {
    var loopback = ClientAddress.parse("127.0.0.1").orElseThrow();
    assertThat(ClientAddress.of((SocketAddress) null)).isEqualTo(loopback);
    assertThat(ClientAddress.of(UnixDomainSocketAddress.of("/run/a.sock"))).isEqualTo(loopback);
    assertThat(ClientAddress.of(InetSocketAddress.createUnresolved("peer", 1))).isEqualTo(loopback);
  }
}
