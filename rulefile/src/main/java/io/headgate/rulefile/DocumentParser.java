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
 * Parses a YAML or JSON text into one {@link SourceNode}.
 *
 * <p>It consumes the YAML library's events and not its node tree, because composing that tree has
 * no bound on depth. Tags are rejected, so no object is ever constructed from the text. An alias
 * shares the node of its anchor, and the number of nodes that aliases would expand to is bounded.
 */
final class DocumentParser {
  /** Maximum length of a text, in characters; of a file, in bytes. */
  static final int MAX_LENGTH = 32 << 20;

  private static final int MAX_DEPTH = 32;

  /** Maximum length of one scalar in characters, well above the longest valid field value. */
  private static final int MAX_SCALAR_LENGTH = 64 << 10;

  /** Maximum number of times the parser fills its buffer, unless the buffer has minimum size. */
  private static final int MAX_BUFFER_FILLS = 16;

  private static final int MIN_BUFFER = 1 << 10;
  private static final long MAX_ALIASED_NODES = 1_000_000;

  /** Heap for each value that is read. A value takes about 100 bytes, however short its text is. */
  private static final int HEAP_PER_NODE = 1 << 10;

  private static final long MAX_NODES = Runtime.getRuntime().maxMemory() / HEAP_PER_NODE;

  private final ProblemCollector problems;
  private final Iterator<Event> events;
  private final Map<String, Anchored> anchors = new HashMap<>();
  private final long maxNodes;
  private long nodes;
  private long aliasedNodes;

  /**
   * The value of an anchor.
   *
   * @param size the number of nodes, with aliases expanded
   */
  private record Anchored(SourceNode node, long size) {}

  /** Aborts the parsing after its cause was added to the problems. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unreadable() {
      super(null, null, false, false);
    }
  }

  private DocumentParser(String text, ProblemCollector problems, long maxNodes) {
    this.problems = problems;
    this.maxNodes = maxNodes;
    // The length was checked before, and a text has at most as many code points as characters.
    // The parser copies the current token each time it fills its buffer. With a buffer of constant
    // size, a text of one long token would take quadratic time.
    var settings =
        LoadSettings.builder()
            .setCodePointLimit(MAX_LENGTH)
            .setBufferSize(Math.max(MIN_BUFFER, text.length() / MAX_BUFFER_FILLS))
            .setVersionFunction(any -> any)
            .build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /**
   * Parses a text.
   *
   * @param problems receives everything that is wrong with the text
   * @return the root node, or empty if the text cannot be parsed
   */
  static Optional<SourceNode> parse(String text, ProblemCollector problems) {
    return parse(text, problems, MAX_NODES);
  }

  /**
   * Parses a text.
   *
   * @param maxNodes the maximum number of values, not counting those that aliases repeat
   */
  static Optional<SourceNode> parse(String text, ProblemCollector problems, long maxNodes) {
    if (text.length() > MAX_LENGTH) {
      problems.add(SourcePosition.START, "", tooLong());
      return Optional.empty();
    }
    try {
      return new DocumentParser(text, problems, maxNodes).document();
    } catch (MarkedYamlEngineException e) {
      // Report an unclosed construct where it was opened, not where the text ends.
      var mark =
          SyntaxMessage.isUnclosed(e.getProblem())
              ? e.getContextMark().or(e::getProblemMark)
              : e.getProblemMark().or(e::getContextMark);
      problems.add(position(mark), "", SyntaxMessage.of(e.getContext(), e.getProblem()));
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
      // Already among the problems.
    }
    return Optional.empty();
  }

  static String tooLong() {
    return "the text is too long; at most %d MB are read".formatted(MAX_LENGTH >> 20);
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
    if (event instanceof AliasEvent alias) return resolve(alias);
    if (depth > MAX_DEPTH) {
      throw unreadable(event, "nested more than %d deep".formatted(MAX_DEPTH));
    }
    long before = nodes++;
    if (before - aliasedNodes == maxNodes) {
      throw unreadable(
          event,
          """
          there are more than %d values, for which the heap of this process is too small; write fewer \
          rules, or give the process more memory (-Xmx)\
          """
              .formatted(maxNodes));
    }
    var node =
        switch (event) {
          case ScalarEvent scalar -> {
            rejectTag(scalar, scalar.getTag());
            rejectTooLong(scalar);
            yield new Scalar(scalar.getValue(), scalar.isPlain(), position(scalar));
          }
          case SequenceStartEvent list -> {
            rejectTag(list, list.getTag());
            yield items(list, depth);
          }
          case MappingStartEvent map -> {
            rejectTag(map, map.getTag());
            yield fields(map, depth);
          }
          default -> throw new IllegalStateException("no node begins with " + event);
        };
    // Registered after its content, so that an alias inside the value cannot refer to it: there
    // are no cycles.
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
    return new Items(List.copyOf(items), position(start));
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
    return new Fields(List.copyOf(fields), position(start));
  }

  private SourceNode resolve(AliasEvent alias) {
    String name = alias.getAlias().getValue();
    var anchored = anchors.get(name);
    if (anchored == null) {
      throw unreadable(
          alias,
          "no value before this is marked &%s; if a pattern is meant, quote it: \"*%s\""
              .formatted(name, name));
    }
    nodes += anchored.size();
    aliasedNodes += anchored.size();
    if (aliasedNodes > MAX_ALIASED_NODES) {
      throw unreadable(
          alias,
          "aliases such as *%s repeat more than %d values; write less by alias"
              .formatted(name, MAX_ALIASED_NODES));
    }
    return anchored.node();
  }

  private void rejectTag(Event event, Optional<String> tag) {
    if (tag.isPresent()) {
      problems.add(
          position(event),
          "",
          "the tag %s is not allowed; rule files use no tags, so leave it out"
              .formatted(Excerpt.of(tag.get())));
    }
  }

  private void rejectTooLong(ScalarEvent scalar) {
    int length = scalar.getValue().length();
    if (length <= MAX_SCALAR_LENGTH) return;
    throw unreadable(
        scalar,
        "%s has %d characters; a value may have at most %d"
            .formatted(Excerpt.of(scalar.getValue()), length, MAX_SCALAR_LENGTH));
  }

  private Unreadable unreadable(Event event, String message) {
    problems.add(position(event), "", message);
    return new Unreadable();
  }

  private static SourcePosition position(Event event) {
    return position(event.getStartMark());
  }

  private static SourcePosition position(Optional<Mark> mark) {
    return mark.map(m -> new SourcePosition(m.getLine() + 1, m.getColumn() + 1))
        .orElse(SourcePosition.START);
  }
}
