package io.headgate.benchmarks;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The baseline for HTTP: a server that reads each request and returns a constant response. It uses
 * the same Vert.x, size limits and number of event loops as the service, but accepts no HTTP/2.
 */
public final class BareServer {
  private BareServer() {}

  private record Header(CharSequence name, CharSequence value) {}

  /** Starts the server; the arguments are the body, then header names and values in turn. */
  public static void main(String[] args) throws Exception {
    var body = Buffer.buffer(args[0]);
    var headers = new ArrayList<Header>();
    for (int i = 1; i < args.length; i += 2) {
      headers.add(
          new Header(
              HttpHeaders.createOptimized(args[i]), HttpHeaders.createOptimized(args[i + 1])));
    }
    int cores = Runtime.getRuntime().availableProcessors();
    var noFiles =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    var vertx =
        Vertx.vertx(
            new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(cores)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setFileSystemOptions(noFiles));
    var port = new AtomicInteger();
    vertx
        .deployVerticle(
            () -> new Listener(body, headers, port), new DeploymentOptions().setInstances(cores))
        .toCompletionStage()
        .toCompletableFuture()
        .get();
    System.out.printf(
        "listens on http://127.0.0.1:%d, native transport: %s%n",
        port.get(), vertx.isNativeTransportEnabled());
  }

  private static final class Listener extends VerticleBase {
    private final Buffer body;
    private final List<Header> headers;
    private final AtomicInteger port;

    Listener(Buffer body, List<Header> headers, AtomicInteger port) {
      this.body = body;
      this.headers = headers;
      this.port = port;
    }

    @Override
    public Future<?> start() {
      var options =
          new HttpServerOptions()
              .setMaxInitialLineLength(8 * 1024)
              .setMaxHeaderSize(16 * 1024)
              .setHttp2ClearTextEnabled(false)
              .setTcpFastOpen(false);
      return vertx
          .createHttpServer(options)
          .requestHandler(request ->
              request
                  .body()
                  .onSuccess(read -> {
                    var response = request.response();
                    for (var header : headers) {
                      response.putHeader(header.name(), header.value());
                    }
                    response.end(body);
                  }))
          .listen(-1, "127.0.0.1") // one free port, shared by all event loops
          .onSuccess(server -> port.set(server.actualPort()));
    }
  }
}
