package io.headgate.server;

import io.headgate.server.tls.TlsMaterial;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What the server is told about protocols and their bounds. */
final class ServerOptions {
  static final int LONGEST_LINE = 8 * 1024;

  /**
   * As much as nginx takes of a request by default, all of which may come in headers of the gate.
   */
  static final int LONGEST_HEADERS = 32 * 1024;

  /** Enough for a proxy that sends all it has over one connection. */
  static final int MOST_STREAMS = 256;

  /**
   * Envoy resets each call that takes longer than its timeout, so in a slow phase a connection may
   * see as many resets as calls: 2,000 a second are tolerated. A rapid-reset attack sends tens of
   * thousands a second. A connection with more resets is closed.
   */
  static final int MOST_RESETS = 20_000;

  static final int RESETS_WINDOW_SECONDS = 10;
  private static final int HANDSHAKE_SECONDS = 10;
  private static final Set<String> TLS_VERSIONS =
      new LinkedHashSet<>(List.of("TLSv1.3", "TLSv1.2"));

  static HttpServerOptions plain() {
    return new HttpServerOptions()
        .setMaxInitialLineLength(LONGEST_LINE)
        .setMaxHeaderSize(LONGEST_HEADERS)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(MOST_STREAMS)
                .setMaxHeaderListSize(LONGEST_HEADERS))
        .setHttp2RstFloodMaxRstFramePerWindow(MOST_RESETS)
        .setHttp2RstFloodWindowDuration(RESETS_WINDOW_SECONDS)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
        .setHttp2ClearTextEnabled(true)
        // There are no WebSockets here, and Netty's handler for them fails on pipelined requests.
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setTcpFastOpen(false);
  }

  static HttpServerOptions tls(TlsMaterial material, boolean clientsMust) {
    var options =
        plain()
            .setSsl(true)
            .setUseAlpn(true)
            .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
            .setEnabledSecureTransportProtocols(TLS_VERSIONS)
            .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
            .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
            .setKeyCertOptions(pair(material))
            .setClientAuth(auth(material, clientsMust));
    if (material.asksClients()) options.setTrustOptions(trusted(material));
    return options;
  }

  /** The same for a server that runs. */
  static ServerSSLOptions changed(TlsMaterial material, boolean clientsMust) {
    var options =
        new ServerSSLOptions()
            .setUseAlpn(true)
            .setApplicationLayerProtocols(List.of("h2", "http/1.1"))
            .setEnabledSecureTransportProtocols(TLS_VERSIONS)
            .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
            .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
            .setKeyCertOptions(pair(material))
            .setClientAuth(auth(material, clientsMust));
    if (material.asksClients()) options.setTrustOptions(trusted(material));
    return options;
  }

  private static PemKeyCertOptions pair(TlsMaterial material) {
    return new PemKeyCertOptions()
        .setCertValue(Buffer.buffer(material.certificate()))
        .setKeyValue(Buffer.buffer(material.key()));
  }

  private static PemTrustOptions trusted(TlsMaterial material) {
    return new PemTrustOptions().addCertValue(Buffer.buffer(material.clients()));
  }

  private static ClientAuth auth(TlsMaterial material, boolean clientsMust) {
    if (!material.asksClients()) return ClientAuth.NONE;
    return clientsMust ? ClientAuth.REQUIRED : ClientAuth.REQUEST;
  }

  private ServerOptions() {}
}
