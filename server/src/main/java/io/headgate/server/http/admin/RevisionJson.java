package io.headgate.server.http.admin;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.rules.ImpactReport;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.RuleRevision;
import java.util.List;
import java.util.Locale;

/** Writes revisions, diffs and impact reports as JSON. */
final class RevisionJson {
  /** The number of changes and of moves that are listed; the rest is only counted. */
  static final int MAX_CHANGES = 1_000;

  static void write(JsonWriter out, Revision revision) {
    out.begin();
    writeMembers(out, revision);
    out.end();
  }

  /** Writes a revision with the difference of the rule that it changed. */
  static void write(JsonWriter out, RuleRevision entry) {
    out.begin();
    writeMembers(out, entry.revision());
    out.name("change").value(name(entry.change().kind()));
    write(out.name("fields"), entry.change().edits());
    out.end();
  }

  private static void writeMembers(JsonWriter out, Revision revision) {
    out.name("number").value(revision.number());
    out.name("at").value(revision.at().toString());
    out.name("author").value(revision.changeInfo().author());
    out.name("message").value(revision.changeInfo().message());
    if (revision.restored().isPresent()) {
      out.name("restored").value(revision.restored().getAsLong());
    }
    out.name("added").value(revision.added());
    out.name("changed").value(revision.changed());
    out.name("removed").value(revision.removed());
    out.name("rules").value(revision.rules());
  }

  static void write(JsonWriter out, RuleDiff diff) {
    out.begin();
    for (var kind : RuleDiff.Kind.values()) out.name(name(kind)).value(diff.count(kind));
    out.name("moved").value(diff.moves().size());
    out.name("same").value(diff.same());
    out.name("changes").beginList();
    for (var change : first(diff.changes())) {
      out.begin().name("id").value(change.id()).name("change").value(name(change.kind()));
      write(out.name("fields"), change.edits());
      out.end();
    }
    out.endList();
    out.name("moves").beginList();
    for (var move : first(diff.moves())) {
      out.begin().name("id").value(move.id()).name("after");
      if (move.after().isPresent()) out.value(move.after().get());
      else out.nullValue();
      out.end();
    }
    out.endList();
    int more =
        Math.max(0, diff.changes().size() - MAX_CHANGES)
            + Math.max(0, diff.moves().size() - MAX_CHANGES);
    if (more > 0) out.name("more").value(more);
    out.end();
  }

  static void write(JsonWriter out, ImpactReport impact) {
    out.begin();
    out.name("sampled").value(impact.sampled());
    out.name("affected").value(impact.count());
    out.name("note")
        .value(
            "a sample: at most %d callers recently served by this instance, of which at most %d are listed"
                .formatted(RecentCallers.MAX_SAMPLE, ImpactReport.MAX_LISTED));
    out.name("list").beginList();
    for (var affected : impact.affected()) {
      out.begin().name("subject").begin();
      affected.subject().attributes().forEach(out::member);
      out.end();
      out.name("rules").beginList();
      for (var effect : affected.effects()) {
        out.begin().name("id").value(effect.rule());
        out.name("change").value(name(effect.kind()));
        write(out.name("fields"), effect.edits());
        out.end();
      }
      out.endList().end();
    }
    out.endList().end();
  }

  private static void write(JsonWriter out, List<RuleDiff.Edit> edits) {
    out.beginList();
    for (var edit : edits) {
      out.begin().name("field").value(edit.field());
      out.name("before");
      if (edit.before().isPresent()) out.value(edit.before().get());
      else out.nullValue();
      out.name("after");
      if (edit.after().isPresent()) out.value(edit.after().get());
      else out.nullValue();
      out.end();
    }
    out.endList();
  }

  private static <T> List<T> first(List<T> all) {
    return all.subList(0, Math.min(MAX_CHANGES, all.size()));
  }

  private static String name(RuleDiff.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private RevisionJson() {}
}
