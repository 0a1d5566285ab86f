package io.headgate.server.http.ui;

import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.dashboard.PageFile;
import io.headgate.server.dashboard.PageFiles;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.SharedBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Serves the dashboard. Its files hold no data, so anybody may have them. */
public final class DashboardHandler {
  private static final PageFiles FILES = PageFiles.onClassPath();
  private static final Map<String, SharedBuffer> BY_TAG = new ConcurrentHashMap<>();

  /** Its name changes with what is in it. */
  private static final String FOR_EVER = "public, max-age=31536000, immutable";

  private static final String ASK_AGAIN = "no-cache";

  private final ServiceInfoHandlers about;

  public DashboardHandler(ServiceInfoHandlers about) {
    this.about = about;
  }

  /** The page for browsers, and for everybody else what this is. */
  public void root(Exchange exchange, byte[] body) {
    exchange.header("Vary", "Accept, Accept-Encoding");
    var page = FILES.index();
    boolean wanted = exchange.asked("Accept").map(MediaTypes::namesHtml).orElse(false);
    if (wanted && page.isPresent()) give(exchange, page.get(), ASK_AGAIN);
    else about.root(exchange, body);
  }

  public void asset(Exchange exchange, byte[] body) {
    var file =
        FILES
            .find("assets/" + exchange.lastSegment())
            .orElseThrow(() ->
                new ProblemException(
                    ProblemDocument.of(
                        404,
                        "the dashboard has no file '%s'; load the page again"
                            .formatted(TextSyntax.shown(exchange.lastSegment())))));
    exchange.header("Vary", "Accept-Encoding");
    give(exchange, file, FOR_EVER);
  }

  private static void give(Exchange exchange, PageFile file, String caching) {
    boolean gzip = exchange.asked("Accept-Encoding").map(MediaTypes::takesGzip).orElse(false);
    String tag = file.tag(gzip);
    exchange.header("ETag", tag).header("Cache-Control", caching);
    if (isKnown(exchange.asked("If-None-Match"), tag)) {
      exchange.end(304);
      return;
    }
    if (gzip) exchange.header("Content-Encoding", "gzip");
    var bytes = BY_TAG.computeIfAbsent(tag, made -> new SharedBuffer(file.bytes(gzip)));
    exchange.answer(200, file.mediaType(), bytes);
  }

  private static boolean isKnown(Optional<String> ifNoneMatch, String tag) {
    return ifNoneMatch.isPresent()
        && (ifNoneMatch.get().strip().equals("*") || ifNoneMatch.get().contains(tag));
  }
}
