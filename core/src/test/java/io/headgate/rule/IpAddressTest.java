package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0,                                       0, ffff00000000",
    "10.0.0.1,                                      0, ffff0a000001",
    "255.255.255.255,                               0, ffffffffffff",
    "::ffff:10.0.0.1,                               0, ffff0a000001",
    "::FFFF:A00:1,                                  0, ffff0a000001",
    "0:0:0:0:0:ffff:10.0.0.1,                       0, ffff0a000001",
    "0000:0000:0000:0000:0000:ffff:255.255.255.255, 0, ffffffffffff",
    "::,                                            0, 0",
    "::1,                                           0, 1",
    "::10.0.0.1,                                    0, a000001",
    "2001:db8::,                                    20010db800000000, 0",
    "2001:DB8::8:800:200c:417a,                     20010db800000000, 00080800200c417a",
    "1:2:3:4:5:6:7:8,                               0001000200030004, 0005000600070008",
    "1:2:3:4:5:6:7::,                               0001000200030004, 0005000600070000",
    "::2:3:4:5:6:7:8,                               0000000200030004, 0005000600070008",
    "1::8,                                          0001000000000000, 8",
    "64:ff9b::192.0.2.33,                           0064ff9b00000000, c0000221",
  })
  void notationsOfOneAddressAreEqual(String text, String high, String low) {
    assertThat(IpAddress.parse(text))
        .isEqualTo(
            new IpAddress(Long.parseUnsignedLong(high, 16), Long.parseUnsignedLong(low, 16)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        ":",
        "localhost",
        "10.0.0",
        "10.0.0.",
        ".10.0.0.1",
        "10..0.1",
        "10.0.0.1.2",
        "10.0.0.256",
        "10.0.0.01",
        "010.0.0.1",
        "10.0.0.00",
        "0x0a.0.0.1",
        "10.0.0.-1",
        "10.0.0.1 ",
        " 10.0.0.1",
        "10.0.0.1\n",
        "10.0.0.1:80",
        "10.0.0.1/8",
        "10.0.0.99999999999",
        "١٠.0.0.1",
        ":::",
        "1::2::3",
        "::1::",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "::1:2:3:4:5:6:7:8",
        "1:2:3:4::5:6:7:8",
        "12345::",
        "g::",
        "::ｆ",
        "fe80::1%eth0",
        "[::1]",
        "::ffff:10.0.0",
        "::ffff:10.0.0.01",
        "::10.0.0.1:ffff",
        "10.0.0.1::",
        "1:2:3:4:5:6:7:10.0.0.1",
        "1:2:3:4:5:6::10.0.0.1",
        "0000:0000:0000:0000:0000:00000:255.255.255.255",
      })
  void invalidAddressIsRejected(String text) {
    assertThat(IpAddress.parse(text)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1,                10.0.0.1",
    "::ffff:10.0.0.1,         10.0.0.1",
    "::ffff:ff00:1,           255.0.0.1",
    "2001:db8:1:2::,          2001:db8:1:2::/64",
    "2001:db8:1:2:3:4:5:6,    2001:db8:1:2::/64",
    "2001:db8:1:2:ffff::,     2001:db8:1:2::/64",
    "2001:db8:1:3::,          2001:db8:1:3::/64",
    "ffff:ffff:ffff:ffff::1,  ffff:ffff:ffff:ffff::/64",
    "::1,                     0:0:0:0::/64",
  })
  void counterValueIsTheIpv6NetworkOrTheIpv4Address(String text, String caller) {
    assertThat(IpAddress.parse(text).counterValue()).isEqualTo(caller);
  }
}
