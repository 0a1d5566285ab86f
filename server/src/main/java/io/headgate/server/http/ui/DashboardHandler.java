package io.headgate.server.http.ui;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.dashboard.PageFile;
import io.headgate.server.dashboard.PageFiles;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.SharedBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Serves the dashboard. Its files contain no data, so they need no token. */
public final class DashboardHandler {
  private static final PageFiles FILES = PageFiles.onClassPath();
  private static final Map<String, SharedBuffer> BY_TAG = new ConcurrentHashMap<>();

  /** For assets, whose names contain a hash of their content. */
  private static final String IMMUTABLE = "public, max-age=31536000, immutable";

  private static final String REVALIDATE = "no-cache";

  private final ServiceInfoHandlers info;

  /**
   * @param info answers requests for {@code /} that do not accept HTML
   */
  public DashboardHandler(ServiceInfoHandlers info) {
    this.info = info;
  }

  /** Answers browsers with the dashboard and other clients with the service info. */
  public void root(Exchange exchange, byte[] body) {
    exchange.header("Vary", "Accept, Accept-Encoding");
    var page = FILES.index();
    boolean wantsHtml = exchange.requestHeader("Accept").map(MediaTypes::acceptsHtml).orElse(false);
    if (wantsHtml && page.isPresent()) send(exchange, page.get(), REVALIDATE);
    else info.root(exchange, body);
  }

  /** Answers with one of the dashboard's files. */
  public void asset(Exchange exchange, byte[] body) {
    var file =
        FILES
            .find("assets/" + exchange.lastSegment())
            .orElseThrow(() ->
                new ProblemException(
                    ProblemDocument.of(
                        404,
                        "the dashboard has no file '%s'; load the page again"
                            .formatted(TextSyntax.excerpt(exchange.lastSegment())))));
    exchange.header("Vary", "Accept-Encoding");
    send(exchange, file, IMMUTABLE);
  }

  private static void send(Exchange exchange, PageFile file, String caching) {
    boolean gzip =
        exchange.requestHeader("Accept-Encoding").map(MediaTypes::acceptsGzip).orElse(false);
    String tag = file.tag(gzip);
    exchange.header("ETag", tag).header("Cache-Control", caching);
    if (matches(exchange.requestHeader("If-None-Match"), tag)) {
      exchange.end(304);
      return;
    }
    if (gzip) exchange.header("Content-Encoding", "gzip");
    var bytes = BY_TAG.computeIfAbsent(tag, made -> new SharedBuffer(file.bytes(gzip)));
    exchange.answer(200, file.mediaType(), bytes);
  }

  private static boolean matches(Optional<String> ifNoneMatch, String tag) {
    return ifNoneMatch.isPresent()
        && (ifNoneMatch.get().strip().equals("*") || ifNoneMatch.get().contains(tag));
  }
}
