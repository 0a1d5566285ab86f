package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.headgate.http.TruncatedText;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that every call Envoy can send is decided, since an error would admit its request. */
class HostileDescriptorsTest {
  private static final int LIMIT = 3;
  private static GrpcService service;

  @BeforeAll
  static void start() {
    service =
        GrpcService.with(
            Rule.named("tenants")
                .match("domain", "shop")
                .match("tenant", "*")
                .limit(FixedWindow.of(Rate.perDay(LIMIT)))
                .build(),
            Rule.named("login")
                .match("path", "/login*")
                .per("domain")
                .limit(FixedWindow.of(Rate.perDay(LIMIT)))
                .build());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** A call of Envoy's, whose strings may hold any bytes. */
  private static Code decide(ByteString domain, ByteString key, ByteString value) {
    var entry = fields(1, key, 2, value);
    var descriptor = fields(1, entry);
    return decide(fields(1, domain, 2, descriptor).toByteArray());
  }

  private static Code decide(byte[] message) {
    var method =
        MethodDescriptor.<byte[], RateLimitResponse>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(RateLimitServiceGrpc.getShouldRateLimitMethod().getFullMethodName())
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(ProtoUtils.marshaller(RateLimitResponse.getDefaultInstance()))
            .build();
    return ClientCalls.blockingUnaryCall(
            service.envoy.channel(), method, CallOptions.DEFAULT, message)
        .getOverallCode();
  }

  private static ByteString fields(Object... numbersAndValues) {
    var set = UnknownFieldSet.newBuilder();
    for (int i = 0; i < numbersAndValues.length; i += 2) {
      set.addField(
          (Integer) numbersAndValues[i],
          Field.newBuilder().addLengthDelimited((ByteString) numbersAndValues[i + 1]).build());
    }
    return set.build().toByteString();
  }

  private record Bytes() implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static ByteString latin1(String text) {
    return ByteString.copyFrom(text, StandardCharsets.ISO_8859_1);
  }

  private static ByteString utf8(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static Code tenant(ByteString value) {
    return decide(utf8("shop"), utf8("tenant"), value);
  }

  private static void requireCountedAlone(ByteString value) {
    for (int i = 0; i < LIMIT; i++) assertThat(tenant(value)).as("%s", value).isEqualTo(Code.OK);
    assertThat(tenant(value)).as("%s", value).isEqualTo(Code.OVER_LIMIT);
  }

  /** Envoy normalizes paths, but knows no path parameters. */
  @Test
  void pathThatApplicationsReadDifferentlyIsNotLessLimited() {
    for (var path : List.of("/x/..;/login", "/%6cogin", "//login?a", "/health;%2f..%2flogin")) {
      for (var key : List.of("path", ":path")) {
        assertThat(decide(utf8("shop"), utf8(key), utf8(path)))
            .as("%s %s", key, path)
            .isEqualTo(key.equals("path") ? Code.OVER_LIMIT : Code.OK);
      }
    }
    for (var path : List.of("/a;v=1", "/a%20b", "/caf%c3%a9", "/a/../b", "/a%2Fb?x=//")) {
      assertThat(decide(utf8("shop"), utf8("path"), utf8(path))).as(path).isEqualTo(Code.OK);
    }
  }

  @Test
  void everyByteStringHasItsOwnCounter() {
    requireCountedAlone(latin1("a\u00ff"));
    requireCountedAlone(latin1("a\u00fe"));
    requireCountedAlone(latin1("\u00ff"));
    requireCountedAlone(latin1("\u00c0\u0080")); // an overlong NUL
    requireCountedAlone(latin1("\u00ed\u00a0\u0080")); // half a surrogate pair
    requireCountedAlone(latin1("\u00c3"));
    requireCountedAlone(utf8("a\ufffd"));
    requireCountedAlone(utf8("a\ufffdFF")); // what the first is mapped to
    requireCountedAlone(utf8("a\ufffdEF\ufffdBF\ufffdBDFF")); // what the one before is mapped to
    requireCountedAlone(utf8("a\u0000"));
    requireCountedAlone(utf8("a\u0001\r\n"));
    requireCountedAlone(utf8("a"));
    requireCountedAlone(utf8(""));
  }

  @Test
  void validTextIsNotChanged() {
    tenant(utf8("caf\u00e9 \ufffd \ud83d\ude00"));
    var subject =
        Subject.of(
            Map.of(
                "domain",
                "shop",
                "descriptor",
                "tenant",
                "tenant",
                "caf\u00e9 \ufffd \ud83d\ude00"));
    assertThat(service.limiter.peek(Request.of(subject, 0)).limit().orElseThrow().remaining())
        .isEqualTo(LIMIT - 1);
  }

  @Test
  void patternMatchesTheReadableRestOfAValue() {
    for (int i = 0; i < LIMIT; i++) {
      assertThat(decide(utf8("d"), utf8("path"), latin1("/login\u00ff" + i))).isEqualTo(Code.OK);
    }
    assertThat(decide(utf8("d"), utf8("path"), latin1("/login\u00fe"))).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void keyAndDomainMayBeAnyBytes() {
    assertThat(decide(latin1("\u00ff"), latin1("\u00ff"), latin1("\u00ff"))).isEqualTo(Code.OK);
    assertThat(decide(utf8("shop"), utf8(""), utf8("x"))).isEqualTo(Code.OK);
    assertThat(decide(utf8("shop"), utf8("k".repeat(5_000)), utf8("x"))).isEqualTo(Code.OK);
    String longest = "k".repeat(64);
    assertThat(service.envoy.ask("shop", descriptor(longest, "a", longest, "b")).getOverallCode())
        .as("the second is longer by its number")
        .isEqualTo(Code.OK);
  }

  @Test
  void entryWhoseKeyIsTheShortFormOfAnotherDoesNotReplaceIt() throws Exception {
    String first = "k".repeat(80);
    String shortForm = TruncatedText.name(first);
    var sent = EnvoyClient.request("shop", descriptor(first, "one", shortForm, "two"));
    var call = io.headgate.server.grpc.proto.RateLimitRequest.parseFrom(sent.toByteArray());
    assertThat(Descriptors.requests(call).getFirst().subject().attributes())
        .containsEntry(shortForm, "one")
        .containsValue("two")
        .hasSize(4);
  }

  /** Envoy takes 60 KiB of headers by default, and each descriptor may hold the longest of them. */
  @Test
  void longHeadersInSeveralDescriptorsAreDecided() {
    var path = descriptor("path", "/login" + "x".repeat(60 * 1024));
    var tenant = descriptor("tenant", "t".repeat(60 * 1024));
    var call = EnvoyClient.request("shop", path, tenant, descriptor("a", "y".repeat(60 * 1024)));
    for (int i = 0; i < LIMIT; i++) {
      assertThat(service.envoy.stub().shouldRateLimit(call).getOverallCode()).isEqualTo(Code.OK);
    }
    assertThat(service.envoy.stub().shouldRateLimit(call).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
  }

  /** Envoy sends such a descriptor for a request without any of its headers (skip_if_absent). */
  @Test
  void descriptorWithoutEntriesDoesNotHideTheOthers() {
    var counted = descriptor("tenant", "omits-a-header");
    for (int i = 0; i < LIMIT; i++) {
      assertThat(service.envoy.ask("shop", counted, descriptor()).getOverallCode())
          .isEqualTo(Code.OK);
    }
    var denied = service.envoy.ask("shop", counted, descriptor());
    assertThat(denied.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(denied.getStatusesList())
        .extracting(RateLimitResponse.DescriptorStatus::getCode)
        .containsExactly(Code.OVER_LIMIT, Code.OK);
    assertThat(service.envoy.ask("shop", descriptor()).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void callThatIsTooLargeIsDenied() {
    var many = new RateLimitDescriptor[Descriptors.MAX_DESCRIPTORS + 1];
    Arrays.fill(many, descriptor("any", "x"));
    assertThat(service.envoy.ask("shop", many).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    var entries =
        IntStream.rangeClosed(0, Descriptors.MAX_ENTRIES)
            .boxed()
            .flatMap(i -> Stream.of("k" + i, "v"))
            .toArray(String[]::new);
    assertThat(service.envoy.ask("shop", descriptor(entries)).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    var huge = descriptor("any", "x".repeat(GrpcApi.MAX_MESSAGE_BYTES));
    assertThat(service.envoy.ask("shop", huge).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void hitsBeyondEveryLimitAreDenied() {
    var call =
        RateLimitRequest.newBuilder()
            .setDomain("shop")
            .addDescriptors(descriptor("tenant", "hits"))
            .setHitsAddend(-1) // unsigned: 2^32 - 1
            .build();
    assertThat(service.envoy.stub().shouldRateLimit(call).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
  }
}
