package io.headgate.server.http.admin;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.api.TokenSet;
import io.headgate.server.http.protocol.ETags;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.protocol.PercentDecoder;
import io.headgate.server.http.protocol.QueryString;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ImpactReport;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.store.Ticker;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How rules are changed, whatever the change is: by whom and why, on the strength of which
 * revision, for real or to see what would be.
 */
public final class RuleChangeHandlers {
  static final Set<String> PARAMETERS = Set.of("dry-run", "message", "author");

  private static final Logger LOG = LoggerFactory.getLogger(RuleChangeHandlers.class);
  private static final String MESSAGE = "X-Headgate-Message";
  private static final String WITH_TOKEN = "with token";
  private static final String AUTHOR = "X-Headgate-Author";

  private final RuleRepository book;
  private final RecentCallers callers;
  private final Ticker ticker;
  private final AccessControl access;

  public RuleChangeHandlers(
      RuleRepository book, RecentCallers callers, Ticker ticker, AccessControl access) {
    this.book = book;
    this.callers = callers;
    this.ticker = ticker;
    this.access = access;
  }

  /** What is to be done, and the answer if it is done. */
  interface Change {
    /** The rules as they should be, of those that there are. */
    List<Rule> edit(List<Rule> rules);

    /**
     * Does it.
     *
     * @param before is told the rules that it was done to
     */
    default RuleSnapshot make(
        RuleRepository book,
        OptionalLong expected,
        ChangeInfo signature,
        Consumer<List<Rule>> before) {
      return book.change(
          expected,
          signature,
          rules -> {
            before.accept(rules);
            return edit(rules);
          });
    }

    default int status(RuleDiff diff) {
      return 200;
    }
  }

  /**
   * @param change made from the body, aside: a large one takes its time to be read
   */
  void answer(Exchange exchange, Supplier<Change> change) {
    var query = exchange.query(PARAMETERS);
    var expected = exchange.asked("If-Match").map(ETags::expected).orElse(OptionalLong.empty());
    var signature = signature(exchange, query);
    boolean dry = query.truth("dry-run");
    exchange.when(
        onVirtualThread(
            () -> dry ? tried(expected, change.get()) : made(expected, signature, change.get())),
        answer -> answer.give(exchange));
  }

  /** An answer that is all written, since that may take its time too. */
  record Answer(int status, long revision, String mediaType, Buffer body) {
    static Answer of(int status, long revision, JsonWriter json) {
      return new Answer(status, revision, MediaTypes.JSON, Buffer.buffer(json.toString()));
    }

    void give(Exchange exchange) {
      exchange.header("ETag", ETags.of(revision)).header("Cache-Control", "no-cache");
      if (status == 304) exchange.end(status);
      else exchange.answer(status, mediaType, body);
    }
  }

  private Answer made(OptionalLong expected, ChangeInfo signature, Change change) {
    var before = new AtomicReference<List<Rule>>(List.of());
    var edition = change.make(book, expected, signature, before::set);
    var after = edition.rules().rules();
    var diff = RuleDiff.of(before.get(), after);
    boolean changed = !before.get().equals(after);
    var revision = edition.revision();
    var out = new JsonWriter().begin().name("changed").value(changed);
    RevisionJson.write(out.name("revision"), revision);
    RevisionJson.write(out.name("diff"), diff);
    return Answer.of(changed ? change.status(diff) : 200, edition.number(), out.end());
  }

  private Answer tried(OptionalLong expected, Change change) {
    var latest = book.latest();
    if (expected.isPresent() && expected.getAsLong() != latest.number()) {
      throw new RuleRepositoryException.Stale(expected.getAsLong(), latest.number());
    }
    var before = latest.rules();
    var after = RuleSet.of(change.edit(before.rules()));
    var effects = ImpactReport.of(before, after, callers.sample(), ticker.micros());
    var out = new JsonWriter().begin().name("dryRun").value(true);
    out.name("changed").value(!before.rules().equals(after.rules()));
    RevisionJson.write(out.name("revision"), latest.revision());
    book.condition().readOnly().ifPresent(why -> out.name("readOnly").value(why));
    RevisionJson.write(out.name("diff"), RuleDiff.of(before.rules(), after.rules()));
    RevisionJson.write(out.name("callers"), effects);
    return Answer.of(200, latest.number(), out.end());
  }

  private ChangeInfo signature(Exchange exchange, QueryString query) {
    String message = given(exchange, query, "message", MESSAGE).orElse("");
    try {
      return new ChangeInfo(author(exchange, query), message);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(ProblemDocument.of(400, String.valueOf(e.getMessage())));
    }
  }

  /** Anybody can say who they are, but not whose token it is. */
  private String author(Exchange exchange, QueryString query) {
    String token = access.caller(exchange.asked("Authorization"));
    var said = given(exchange, query, "author", AUTHOR);
    said.ifPresent(who -> refuseAnothers(who, token));
    if (!token.isEmpty())
      return said.map(who -> who + " " + WITH_TOKEN + " " + token).orElse(token);
    return said.orElse(access.hasAdminToken() ? "admin" : "anonymous");
  }

  private void refuseAnothers(String author, String token) {
    boolean another =
        access.isNameOfAToken(author) && !TokenSet.folded(author).equals(TokenSet.folded(token));
    if (another || TokenSet.folded(author).contains(WITH_TOKEN)) {
      throw new ProblemException(
          ProblemDocument.of(
              400,
              "author",
              "the author must not read like the name of a token that is not shown, got '%s'; give your own name"
                  .formatted(TextSyntax.shown(author))));
    }
  }

  private static Optional<String> given(
      Exchange exchange, QueryString query, String parameter, String header) {
    return query
        .text(parameter)
        .or(() -> exchange.asked(header).map(text -> PercentDecoder.decode(header, text)));
  }

  /** Asks the book, which may wait for a database. */
  static <T> CompletableFuture<T> onVirtualThread(Supplier<T> question) {
    return LargeTaskExecutor.supply(() -> {
      try {
        return question.get();
      } catch (RuleRepositoryException e) {
        throw new ProblemException(problem(e));
      } catch (IllegalArgumentException e) {
        throw new ProblemException(
            ProblemDocument.of(400, "the rules can't stand together: " + e.getMessage()));
      }
    });
  }

  private static ProblemDocument problem(RuleRepositoryException problem) {
    String detail = String.valueOf(problem.getMessage());
    return switch (problem) {
      case RuleRepositoryException.Stale stale -> ProblemDocument.of(409, "If-Match", detail);
      case RuleRepositoryException.ReadOnly readOnly -> ProblemDocument.of(403, detail);
      case RuleRepositoryException.NoSuchRevision missing -> ProblemDocument.of(404, detail);
      case RuleRepositoryException.Away away -> {
        LOG.debug("the book of rules could not be asked", away);
        yield ProblemDocument.of(503, detail).with("Retry-After", "1");
      }
    };
  }
}
