package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.AmbiguousPathException;
import io.headgate.http.ClientAddress;
import io.headgate.http.ForwardedHeader;
import io.headgate.http.PathReadings;
import io.headgate.http.PathReadings.Parameters;
import io.headgate.http.TextSyntax;
import io.headgate.http.TrustedProxies;
import io.headgate.rule.Subject;
import io.headgate.server.api.ProblemException;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Headers are mapped to a request or rejected with 4xx. A client can't choose its address: the hop
 * that a trusted proxy appends to the client's headers decides, whatever these headers are. The
 * input is a head of header lines.
 */
public final class ForwardAuthHeadersFuzzTarget {
  private static final TrustedProxies PROXIES = TrustedProxies.of(List.of("10.0.0.0/8"));
  private static final ClientAddress PROXY = ClientAddress.parse("10.0.0.1").orElseThrow();
  private static final String REAL = "198.51.100.7";
  private static final ClientAddress REAL_CALLER = ClientAddress.parse(REAL).orElseThrow();

  public static void fuzzerTestOneInput(byte[] input) {
    String head = new String(input, StandardCharsets.ISO_8859_1);
    var headers = MultiMap.caseInsensitiveMultiMap();
    for (var line : head.split("\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) headers.add(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    requireRealCaller(headers);
    var caller = PROXIES.caller(PROXY, headers::getAll);
    assertThat(ClientAddress.parse(caller.toString())).contains(caller);
    if (isAccepted(() -> ForwardAuthHeaders.read(headers, caller))) requireMapped(headers, caller);
    isAccepted(() -> ForwardAuthHeaders.maxWaitMillis(headers));
    ForwardAuthHeaders.denyStatus(headers)
        .ifPresent(status -> assertThat(status).isBetween(400, 599));
    isAccepted(() -> plainest(head));
  }

  private static void requireRealCaller(MultiMap headers) {
    assertThat(PROXIES.caller(REAL_CALLER, headers::getAll))
        .as("an untrusted peer")
        .isEqualTo(REAL_CALLER);
    for (var header : ForwardedHeader.values()) {
      var lines = headers.getAll(header.field());
      var only = PROXIES.withHeaders(List.of(header.field()));
      if (header == ForwardedHeader.X_REAL_IP) {
        assertThat(only.caller(PROXY, name -> List.of(REAL))).isEqualTo(REAL_CALLER);
        continue;
      }
      String hop = header == ForwardedHeader.FORWARDED ? "for=" + REAL : REAL;
      // A proxy appends its hop to the last line, or adds a line.
      var added = new ArrayList<>(lines);
      added.add(hop);
      assertThat(only.caller(PROXY, name -> added)).as("%s", added).isEqualTo(REAL_CALLER);
      if (lines.isEmpty()) continue;
      var appended = new ArrayList<>(lines);
      appended.set(lines.size() - 1, lines.getLast() + ", " + hop);
      assertThat(only.caller(PROXY, name -> appended)).as("%s", appended).isEqualTo(REAL_CALLER);
    }
  }

  private static String plainest(String target) {
    String path = PathReadings.of(target, Parameters.UNKNOWN).getFirst();
    requireCanonicalPath(path);
    return path;
  }

  private static void requireMapped(MultiMap headers, ClientAddress caller) {
    var readings = ForwardAuthHeaders.read(headers, caller);
    assertThat(readings).hasSizeBetween(1, 48).doesNotHaveDuplicates();
    var subject = readings.getFirst().subject();
    assertThat(subject.attribute("ip")).contains(caller.toString());
    assertThat(subject.attribute(Subject.KEY).isPresent())
        .isEqualTo(
            headers.getAll(ForwardAuthHeaders.KEY).stream().anyMatch(line -> !line.isEmpty()));
    subject.attribute("path").ifPresent(ForwardAuthHeadersFuzzTarget::requireCanonicalPath);
    for (var value : subject.attributes().values()) assertThat(TextSyntax.flaw(value)).isEmpty();
  }

  private static void requireCanonicalPath(String path) {
    assertThat(path).startsWith("/").doesNotContain("//", "/../", "/./", "\n", "\0");
    assertThat(path.endsWith("/..") || path.endsWith("/.")).as(path).isFalse();
  }

  private static boolean isAccepted(Supplier<?> read) {
    try {
      return read.get() != null;
    } catch (ProblemException e) {
      assertThat(e.problem().status()).isBetween(400, 499);
      return false;
    } catch (AmbiguousPathException e) {
      return false; // denied
    }
  }

  private ForwardAuthHeadersFuzzTarget() {}
}
