package io.headgate.server.http.admin;

import io.headgate.http.TextSyntax;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TokenSet;
import io.headgate.server.http.protocol.ETags;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.protocol.PercentDecoder;
import io.headgate.server.http.protocol.QueryString;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.LargeTaskExecutor;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changes to the rules: reads author, message and expected revision from the request, and
 * either applies the change or, for a dry run, reports its impact.
 */
public final class RuleChangeHandlers {
  static final Set<String> PARAMETERS = Set.of("dry-run", "message", "author");

  private static final Logger LOG = LoggerFactory.getLogger(RuleChangeHandlers.class);
  private static final int MAX_WARNINGS = 100;
  private static final String MESSAGE = "X-Headgate-Message";
  private static final String WITH_TOKEN = "with token";
  private static final String AUTHOR = "X-Headgate-Author";

  private final RuleRepository repository;
  private final RecentCallers callers;
  private final Ticker ticker;
  private final AccessControl access;

  /**
   * @param callers the sample for which a dry run reports the impact
   */
  public RuleChangeHandlers(
      RuleRepository repository, RecentCallers callers, Ticker ticker, AccessControl access) {
    this.repository = repository;
    this.callers = callers;
    this.ticker = ticker;
    this.access = access;
  }

  /** A change of the rules, and the status of the response. */
  interface Change {
    /** Returns the changed rules. */
    List<Rule> edit(List<Rule> rules);

    /**
     * Applies the change.
     *
     * @param before receives the rules to which it was applied
     */
    default RuleSnapshot apply(
        RuleRepository repository,
        ExpectedRevision expected,
        ChangeInfo changeInfo,
        Consumer<List<Rule>> before) {
      return repository.change(
          expected,
          changeInfo,
          rules -> {
            before.accept(rules);
            return edit(rules);
          });
    }

    /** Returns whether the resource that is changed is among the rules before the change. */
    default boolean isTargetPresent(List<Rule> rules) {
      return true;
    }

    /** Returns the status of the response to an effective change. */
    default int status(RuleDiff diff) {
      return 200;
    }
  }

  /**
   * Applies a change, or reports its impact if the request is a dry run, and answers.
   *
   * @param change parses the body; called on a virtual thread, since parsing may take long
   */
  void answer(Exchange exchange, Supplier<Change> change) {
    var query = exchange.query(PARAMETERS);
    var ifMatch = ETags.ifMatch(exchange.headers().getAll("If-Match"));
    var changeInfo = changeInfo(exchange, query);
    boolean isDryRun = query.flag("dry-run");
    exchange.whenComplete(
        onVirtualThread(() ->
            isDryRun ? dryRun(ifMatch, change.get()) : apply(ifMatch, changeInfo, change.get())),
        answer -> answer.send(exchange));
  }

  /** A serialized response. It is serialized on a virtual thread, since that may take long. */
  record Answer(int status, long revision, String mediaType, Buffer body) {
    static Answer of(int status, long revision, JsonWriter json) {
      return new Answer(status, revision, MediaTypes.JSON, json.buffer());
    }

    void send(Exchange exchange) {
      exchange.header("ETag", ETags.of(revision)).header("Cache-Control", "no-cache");
      if (status == 304) exchange.end(status);
      else exchange.answer(status, mediaType, body);
    }
  }

  private static ExpectedRevision expected(ETags.IfMatch ifMatch) {
    return switch (ifMatch) {
      case ETags.Unconditional unconditional -> ExpectedRevision.any();
      case ETags.Exists exists -> ExpectedRevision.any();
      case ETags.Revisions(var revisions) -> new ExpectedRevision.OneOf(revisions);
    };
  }

  private static void requirePresent(ETags.IfMatch ifMatch, Change change, List<Rule> rules) {
    if (ifMatch instanceof ETags.Exists && !change.isTargetPresent(rules)) {
      throw new ProblemException(
          ProblemDocument.of(
              412,
              "If-Match",
              "there is no such rule, which If-Match: * requires; omit the header to add it"));
    }
  }

  private Answer apply(ETags.IfMatch ifMatch, ChangeInfo changeInfo, Change change) {
    var before = new AtomicReference<List<Rule>>(List.of());
    var snapshot =
        change.apply(
            repository,
            expected(ifMatch),
            changeInfo,
            rules -> {
              requirePresent(ifMatch, change, rules);
              before.set(rules);
            });
    var after = snapshot.rules().rules();
    var diff = RuleDiff.of(before.get(), after);
    boolean changed = !before.get().equals(after);
    var revision = snapshot.revision();
    var out = new JsonWriter().begin().name("changed").value(changed);
    RevisionJson.write(out.name("revision"), revision);
    out.name("appliesTo").value(repository.condition().shared() ? "database" : "instance");
    RevisionJson.write(out.name("diff"), diff);
    writeWarnings(out, after, diff);
    return Answer.of(changed ? change.status(diff) : 200, snapshot.number(), out.end());
  }

  private Answer dryRun(ETags.IfMatch ifMatch, Change change) {
    var latest = repository.latest();
    expected(ifMatch).require(latest.number());
    var before = latest.rules();
    requirePresent(ifMatch, change, before.rules());
    var after = RuleSet.of(change.edit(before.rules()));
    var effects = ImpactReport.of(before, after, callers.sample(), ticker.micros());
    var out = new JsonWriter().begin().name("dryRun").value(true);
    out.name("changed").value(!before.rules().equals(after.rules()));
    RevisionJson.write(out.name("revision"), latest.revision());
    repository.condition().readOnly().ifPresent(why -> out.name("readOnly").value(why));
    var diff = RuleDiff.of(before.rules(), after.rules());
    RevisionJson.write(out.name("diff"), diff);
    writeWarnings(out, after.rules(), diff);
    RevisionJson.write(out.name("callers"), effects);
    return Answer.of(200, latest.number(), out.end());
  }

  /** Writes the warnings for the rules that were added or changed. */
  private static void writeWarnings(JsonWriter out, List<Rule> rules, RuleDiff diff) {
    var ids = diff.changes().stream().map(RuleDiff.Change::id).collect(Collectors.toSet());
    var warnings = RuleFile.warnings(rules, rule -> ids.contains(rule.id()));
    out.name("warnings").value(warnings.subList(0, Math.min(MAX_WARNINGS, warnings.size())));
  }

  private ChangeInfo changeInfo(Exchange exchange, QueryString query) {
    String message = headerOrParameter(exchange, query, "message", MESSAGE).orElse("");
    try {
      return new ChangeInfo(author(exchange, query), message);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(ProblemDocument.of(400, String.valueOf(e.getMessage())));
    }
  }

  /**
   * Returns the author of the change. Clients choose their name but can't use that of another
   * token.
   */
  private String author(Exchange exchange, QueryString query) {
    String token = access.caller(exchange.requestHeader("Authorization"));
    var given = headerOrParameter(exchange, query, "author", AUTHOR);
    given.ifPresent(name -> requireOwnName(name, token));
    if (!token.isEmpty())
      return given.map(name -> name + " " + WITH_TOKEN + " " + token).orElse(token);
    return given.orElse(access.hasAdminToken() ? "admin" : "anonymous");
  }

  private void requireOwnName(String author, String token) {
    boolean other =
        access.isTokenName(author) && !TokenSet.folded(author).equals(TokenSet.folded(token));
    if (other || TokenSet.folded(author).contains(WITH_TOKEN)) {
      throw new ProblemException(
          ProblemDocument.of(
              400,
              "author",
              "the author must not resemble the name of a token other than the one sent, got '%s'; use your own name"
                  .formatted(TextSyntax.excerpt(author))));
    }
  }

  private static Optional<String> headerOrParameter(
      Exchange exchange, QueryString query, String parameter, String header) {
    return query
        .text(parameter)
        .or(() -> exchange.requestHeader(header).map(text -> PercentDecoder.decode(header, text)));
  }

  /**
   * Runs a repository operation, which may wait for a database, on a virtual thread. Its exceptions
   * are converted to problem documents.
   */
  static <T> CompletableFuture<T> onVirtualThread(Supplier<T> operation) {
    return LargeTaskExecutor.supply(() -> {
      try {
        return operation.get();
      } catch (RuleRepositoryException e) {
        throw new ProblemException(problem(e));
      } catch (IllegalArgumentException e) {
        throw new ProblemException(
            ProblemDocument.of(400, "the rules conflict with each other: " + e.getMessage()));
      }
    });
  }

  private static ProblemDocument problem(RuleRepositoryException problem) {
    String detail = String.valueOf(problem.getMessage());
    return switch (problem) {
      case RuleRepositoryException.Stale stale -> ProblemDocument.of(412, "If-Match", detail);
      case RuleRepositoryException.ReadOnly readOnly -> ProblemDocument.of(403, detail);
      case RuleRepositoryException.NoSuchRevision missing -> ProblemDocument.of(404, detail);
      case RuleRepositoryException.Unavailable unavailable -> {
        LOG.debug("the rule repository is unavailable", unavailable);
        yield ProblemDocument.of(503, detail).with("Retry-After", "1");
      }
    };
  }
}
