package io.headgate.rulefile;

import io.headgate.rulefile.SourceNode.Field;
import io.headgate.rulefile.SourceNode.Fields;
import io.headgate.rulefile.SourceNode.Items;
import io.headgate.rulefile.SourceNode.Scalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Makes one {@link SourceNode} of a YAML or JSON text.
 *
 * <p>From the parser's events rather than its nodes, because composing those has no bound on depth.
 * Tags are refused, so nothing is ever constructed; aliases share a node, and what they would
 * amount to if written out is bounded.
 */
final class DocumentParser {
  static final int LONGEST = 32 << 20;
  private static final int DEEPEST = 32;

  /** Of one text, in characters: many times what any field takes. */
  private static final int LONGEST_SCALAR = 64 << 10;

  /** How often the parser's buffer is filled at most, but for the smallest buffer. */
  private static final int MOST_FILLS = 16;

  private static final int SMALLEST_BUFFER = 1 << 10;
  private static final long MOST_BY_ALIAS = 1_000_000;

  private final ProblemCollector problems;
  private final Iterator<Event> events;
  private final Map<String, Anchored> anchors = new HashMap<>();
  private long nodes;
  private long nodesByAlias;

  /**
   * @param size in nodes, with aliases written out
   */
  private record Anchored(SourceNode node, long size) {}

  /** Ends the reading; its problem has been noted. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unreadable() {
      super(null, null, false, false);
    }
  }

  private DocumentParser(String text, ProblemCollector problems) {
    this.problems = problems;
    // The length has been checked, and a text has no more code points than characters.
    // Whenever the parser fills its buffer it copies the token that it is in, so that with a buffer
    // of one size a text of one long token takes time by the square of its length.
    var settings =
        LoadSettings.builder()
            .setCodePointLimit(LONGEST)
            .setBufferSize(Math.max(SMALLEST_BUFFER, text.length() / MOST_FILLS))
            .setVersionFunction(any -> any)
            .build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /** Empty if the text can't be read, which is then among the problems. */
  static Optional<SourceNode> parse(String text, ProblemCollector problems) {
    if (text.length() > LONGEST) {
      problems.add(SourcePosition.START, "", tooLong());
      return Optional.empty();
    }
    try {
      return new DocumentParser(text, problems).document();
    } catch (MarkedYamlEngineException e) {
      // What is never closed is better shown where it was opened than where the text ends.
      var mark =
          SyntaxMessage.isUnclosed(e.getProblem())
              ? e.getContextMark().or(e::getProblemMark)
              : e.getProblemMark().or(e::getContextMark);
      problems.add(place(mark), "", SyntaxMessage.of(e.getContext(), e.getProblem()));
    } catch (ReaderException e) {
      int end =
          text.offsetByCodePoints(
              0, Math.min(e.getPosition(), text.codePointCount(0, text.length())));
      problems.add(
          SourcePosition.after(text.substring(0, end)),
          "",
          "the character U+%04X is not allowed here; in quotes, write \\u%04x"
              .formatted(e.getCodePoint(), e.getCodePoint()));
    } catch (YamlEngineException e) {
      problems.add(
          SourcePosition.START, "", SyntaxMessage.of(null, String.valueOf(e.getMessage())));
    } catch (Unreadable e) {
      // Noted where it was found.
    }
    return Optional.empty();
  }

  static String tooLong() {
    return "the text is too long; at most %d MB are read".formatted(LONGEST >> 20);
  }

  private Optional<SourceNode> document() {
    Optional<SourceNode> root = Optional.empty();
    while (events.hasNext()) {
      var event = events.next();
      if (!(event instanceof DocumentStartEvent)) continue;
      if (root.isPresent()) {
        throw unreadable(event, "a second document begins; a rule file has one");
      }
      root = Optional.of(node(events.next(), 1));
    }
    if (root.isEmpty()) {
      problems.add(
          SourcePosition.START, "", "the text is empty; a rule file without rules is 'rules: []'");
    }
    return root;
  }

  private SourceNode node(Event event, int depth) {
    if (event instanceof AliasEvent alias) return shared(alias);
    if (depth > DEEPEST) {
      throw unreadable(event, "nested more than %d deep".formatted(DEEPEST));
    }
    long before = nodes++;
    var node =
        switch (event) {
          case ScalarEvent scalar -> {
            refuseTag(scalar, scalar.getTag());
            refuseTooLong(scalar);
            yield new Scalar(scalar.getValue(), scalar.isPlain(), place(scalar));
          }
          case SequenceStartEvent list -> {
            refuseTag(list, list.getTag());
            yield items(list, depth);
          }
          case MappingStartEvent map -> {
            refuseTag(map, map.getTag());
            yield fields(map, depth);
          }
          default -> throw new IllegalStateException("no node begins with " + event);
        };
    // Known only now, so an alias inside it can't mean it: there are no circles.
    ((NodeEvent) event)
        .getAnchor()
        .ifPresent(name -> anchors.put(name.getValue(), new Anchored(node, nodes - before)));
    return node;
  }

  private Items items(SequenceStartEvent start, int depth) {
    var items = new ArrayList<SourceNode>();
    for (var event = events.next(); !(event instanceof CollectionEndEvent); event = events.next()) {
      items.add(node(event, depth + 1));
    }
    return new Items(List.copyOf(items), place(start));
  }

  private Fields fields(MappingStartEvent start, int depth) {
    var fields = new ArrayList<Field>();
    for (var event = events.next(); !(event instanceof CollectionEndEvent); event = events.next()) {
      var name = node(event, depth + 1);
      var value = node(events.next(), depth + 1);
      if (name instanceof Scalar scalar) {
        fields.add(new Field(scalar, value));
      } else {
        problems.add(name.at(), "", "a field's name must be a text, got %s".formatted(name.kind()));
      }
    }
    return new Fields(List.copyOf(fields), place(start));
  }

  private SourceNode shared(AliasEvent alias) {
    String name = alias.getAlias().getValue();
    var anchored = anchors.get(name);
    if (anchored == null) {
      throw unreadable(
          alias,
          "no value before this is marked &%s; if a pattern is meant, quote it: \"*%s\""
              .formatted(name, name));
    }
    nodes += anchored.size();
    nodesByAlias += anchored.size();
    if (nodesByAlias > MOST_BY_ALIAS) {
      throw unreadable(
          alias,
          "aliases such as *%s repeat more than %d values; write less by alias"
              .formatted(name, MOST_BY_ALIAS));
    }
    return anchored.node();
  }

  private void refuseTag(Event event, Optional<String> tag) {
    if (tag.isPresent()) {
      problems.add(
          place(event),
          "",
          "the tag %s is not allowed; rule files use no tags, so leave it out"
              .formatted(Excerpt.of(tag.get())));
    }
  }

  private void refuseTooLong(ScalarEvent scalar) {
    int length = scalar.getValue().length();
    if (length <= LONGEST_SCALAR) return;
    throw unreadable(
        scalar,
        "%s has %d characters; a value may have at most %d"
            .formatted(Excerpt.of(scalar.getValue()), length, LONGEST_SCALAR));
  }

  private Unreadable unreadable(Event event, String message) {
    problems.add(place(event), "", message);
    return new Unreadable();
  }

  private static SourcePosition place(Event event) {
    return place(event.getStartMark());
  }

  private static SourcePosition place(Optional<Mark> mark) {
    return mark.map(m -> new SourcePosition(m.getLine() + 1, m.getColumn() + 1))
        .orElse(SourcePosition.START);
  }
}
