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

/** Builds the Vert.x server options: protocols, their size limits, and TLS. */
final class ServerOptions {
  static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;

  /**
   * Maximum size of all request headers. Equals nginx's default, since the forward-auth endpoint
   * may receive all headers of the original request.
   */
  static final int MAX_HEADER_BYTES = 32 * 1024;

  /** Concurrent HTTP/2 streams; enough for a proxy that uses a single connection. */
  static final int MAX_CONCURRENT_STREAMS = 256;

  /**
   * RST_STREAM frames that a connection may send per window; a connection that sends more is
   * closed. Envoy resets each call that exceeds its timeout, so a slow phase may cause as many
   * resets as calls, and 2,000 a second are tolerated. A rapid-reset attack sends tens of thousands
   * a second.
   */
  static final int MAX_RESETS = 20_000;

  static final int RESET_WINDOW_SECONDS = 10;
  private static final int HANDSHAKE_SECONDS = 10;
  private static final Set<String> TLS_VERSIONS =
      new LinkedHashSet<>(List.of("TLSv1.3", "TLSv1.2"));

  /** Returns the options of a server without TLS. */
  static HttpServerOptions plain() {
    return new HttpServerOptions()
        .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
        .setMaxHeaderSize(MAX_HEADER_BYTES)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(MAX_CONCURRENT_STREAMS)
                .setMaxHeaderListSize(MAX_HEADER_BYTES))
        .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS)
        .setHttp2RstFloodWindowDuration(RESET_WINDOW_SECONDS)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
        .setHttp2ClearTextEnabled(true)
        // WebSockets are not used, and Netty's handler for them fails on pipelined requests.
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setTcpFastOpen(false);
  }

  /**
   * Returns the options of a TLS server.
   *
   * @param clientsRequired whether a client without a certificate is rejected; ignored if {@code
   *     material} has no client CA
   */
  static HttpServerOptions tls(TlsMaterial material, boolean clientsRequired) {
    var options =
        plain()
            .setSsl(true)
            .setUseAlpn(true)
            .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
            .setEnabledSecureTransportProtocols(TLS_VERSIONS)
            .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
            .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
            .setKeyCertOptions(pair(material))
            .setClientAuth(auth(material, clientsRequired));
    if (material.requestsClientCertificates()) options.setTrustOptions(trusted(material));
    return options;
  }

  /** Returns the TLS options of {@link #tls} for updating a running server. */
  static ServerSSLOptions changed(TlsMaterial material, boolean clientsRequired) {
    var options =
        new ServerSSLOptions()
            .setUseAlpn(true)
            .setApplicationLayerProtocols(List.of("h2", "http/1.1"))
            .setEnabledSecureTransportProtocols(TLS_VERSIONS)
            .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
            .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
            .setKeyCertOptions(pair(material))
            .setClientAuth(auth(material, clientsRequired));
    if (material.requestsClientCertificates()) options.setTrustOptions(trusted(material));
    return options;
  }

  private static PemKeyCertOptions pair(TlsMaterial material) {
    return new PemKeyCertOptions()
        .setCertValue(Buffer.buffer(material.certificate()))
        .setKeyValue(Buffer.buffer(material.key()));
  }

  private static PemTrustOptions trusted(TlsMaterial material) {
    return new PemTrustOptions().addCertValue(Buffer.buffer(material.clientCa()));
  }

  private static ClientAuth auth(TlsMaterial material, boolean clientsRequired) {
    if (!material.requestsClientCertificates()) return ClientAuth.NONE;
    return clientsRequired ? ClientAuth.REQUIRED : ClientAuth.REQUEST;
  }

  private ServerOptions() {}
}
