package io.headgate.server;

import io.headgate.server.grpc.GrpcApi;
import io.headgate.server.http.HttpApi;
import io.headgate.server.http.transport.ConnectionTracker;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * Passes the requests of one event loop to the API of their protocol. Both protocols use the same
 * port: a gRPC call is an HTTP/2 request with the media type of gRPC. Confined to its event loop.
 */
final class RequestDispatcher {
  private static final String GRPC = "application/grpc";
  private static final String GRPC_WEB = "application/grpc-web"; // not supported

  private final ConnectionTracker connections;
  private final HttpApi http;
  private final GrpcApi grpc;

  RequestDispatcher(ConnectionTracker connections, HttpApi http, GrpcApi grpc) {
    this.connections = connections;
    this.http = http;
    this.grpc = grpc;
  }

  /** Installs this dispatcher as the handler of a server. */
  HttpServer install(HttpServer server) {
    return server
        .connectionHandler(connections::opened)
        .invalidRequestHandler(http::rejectInvalid)
        .requestHandler(this::dispatch);
  }

  private void dispatch(HttpServerRequest request) {
    if (isGrpc(request)) {
      grpc.handle(request);
      connections.recordActivity(request.connection());
    } else {
      http.handle(request);
    }
  }

  private static boolean isGrpc(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) return false;
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type != null && type.startsWith(GRPC) && !type.startsWith(GRPC_WEB);
  }
}
