package io.headgate.redis.internal.connection;

import io.headgate.redis.KeyLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Lua script. Its text is constant, so that the server compiles it once; limits are arguments.
 *
 * @param text the source
 * @param sha1 the hash of the source, by which EVALSHA refers to it
 */
record Script(String text, String sha1) {
  private static final String LITERAL = "(?:-?\\d+|0x[0-9a-f]+|'[^']*')";
  private static final Pattern CONSTANTS =
      Pattern.compile(
          "^local ([A-Z_]+(?:, [A-Z_]+)*) = (" + LITERAL + "(?:, " + LITERAL + ")*)(?= --|$)",
          Pattern.MULTILINE);
  private static final Pattern INCLUDE =
      Pattern.compile("^ *--(include|layout) ([a-z-]+)\n", Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("(?<!')\\b[A-Z_]+\\b");

  /** The commands on the texts of states in the layout {@link KeyLayout#SEPARATE}. */
  private static final Map<String, String> COMMANDS =
      Map.of(
          "get_text(", "pcall('GET', ",
          "set_range(", "call('SETRANGE', ",
          "set_text(", "call('SET', ",
          "delete_text(", "call('DEL', ");

  /** Evaluates batches of plans; composed from the files in the resource folder {@code lua}. */
  static final Script DECIDE = of(compose("", KeyLayout.SEPARATE));

  /** {@link #DECIDE} in the layout {@link KeyLayout#COMPACT}. */
  static final Script COMPACT = of(compose(file("compact-texts"), KeyLayout.COMPACT));

  /** Removes a counter in the layout {@link KeyLayout#COMPACT}. */
  static final Script COMPACT_RESET = of(file("compact-reset"));

  /** {@link #DECIDE} at the home of regions, with the guard of their shares. */
  static final Script HOME = of(compose(file("home-guard"), KeyLayout.SEPARATE));

  /** Opens a home that lacks {@link #HOME}. */
  static final Script HOME_OPEN = of(file("home-open"));

  /** Publishes and reads the states of regions. */
  static final Script REGIONS = of(file("regions"));

  /** Records a heartbeat and counts instances. */
  static final Script INSTANCES = of(file("instances"));

  /** Applies reports of the load of backends. */
  static final Script SIGNALS = of(file("signals"));

  /** Lists open reservations, and keeps the secret of their ids. */
  static final Script RESERVATIONS = of(file("reservations"));

  /**
   * Returns 1 if scripts of this server preserve the integers that {@link #DECIDE} works with, 0 if
   * they truncate them.
   */
  static final Script WIDE_NUMBERS = of(file("wide-numbers"));

  private static Script of(String text) {
    return new Script(text, sha1(text));
  }

  /** Composes the script of a layout. {@code beginning} follows the prelude. */
  private static String compose(String beginning, KeyLayout layout) {
    var text = included(file("prelude") + beginning + file("fast-path"), layout);
    return inlined(
        switch (layout) {
          case SEPARATE -> separate(text);
          case COMPACT -> text.replace("--compact ", "");
        });
  }

  /**
   * Replaces the functions of {@code compact-texts.lua} by commands of Redis. A line {@code
   * --compact code} stays a comment.
   */
  private static String separate(String text) {
    for (var command : COMMANDS.entrySet()) {
      text = text.replace(command.getKey(), command.getValue());
    }
    return text;
  }

  /**
   * Replaces each line {@code --include name} by that file, and each line {@code --layout name} by
   * the file of that name of the layout. So a file can be part of several functions, or of the
   * script outside of functions: the definition of a function costs every call 400 to 1,600
   * instructions of Redis.
   */
  private static String included(String text, KeyLayout layout) {
    return INCLUDE
        .matcher(text)
        .replaceAll(line -> {
          var name =
              line.group(1).equals("layout")
                  ? switch (layout) {
                    case SEPARATE -> "separate-";
                    case COMPACT -> "compact-";
                  }
                  : "";
          return Matcher.quoteReplacement(included(file(name + line.group(2)), layout));
        });
  }

  /**
   * Replaces the constants that {@code prelude.lua} declares by their values. As locals, each would
   * cost every function that uses it 40 to 100 instructions of Redis per call of the script.
   */
  private static String inlined(String text) {
    var constants = new HashMap<String, String>();
    var declarations = CONSTANTS.matcher(file("prelude"));
    while (declarations.find()) {
      var names = declarations.group(1).split(", ", -1);
      var values = declarations.group(2).split(", ", -1);
      for (int i = 0; i < names.length; i++) constants.put(names[i], values[i]);
      text = text.replace(declarations.group(), "");
    }
    return NAME.matcher(text)
        .replaceAll(
            name -> Matcher.quoteReplacement(constants.getOrDefault(name.group(), name.group())));
  }

  private static String file(String name) {
    try (var in = Script.class.getResourceAsStream("/io/headgate/redis/lua/" + name + ".lua")) {
      if (in == null) throw new IllegalStateException(name + ".lua is not in the jar");
      return new String(in.readAllBytes(), StandardCharsets.UTF_8) + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }
}
