package io.headgate.redis.internal.connection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
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
  private static final Pattern NAME = Pattern.compile("(?<!')\\b[A-Z_]+\\b");

  /** Evaluates batches of plans; composed from the files in the resource folder {@code lua}. */
  static final Script DECIDE = of(compose(""));

  /** {@link #DECIDE} at the home of regions, with the guard of their shares. */
  static final Script HOME = of(compose(file("home-guard")));

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

  private static String compose(String guard) {
    var text = new StringBuilder(file("prelude")).append(guard);
    // A batch defines only the functions it uses: each definition costs 0.2 µs per call.
    text.append("local fast_plan, append_request\n");
    text.append("if args[2] % 2 == 1 or has_rolling or has_sliding then\n");
    text.append(file("fast-plan")).append("end\n");
    text.append("local fast_slot\nif has_slots then\n").append(file("fast-slot")).append("end\n");
    text.append("local returns, define_returns, settle\nif args[2] > 1 then\n");
    text.append("define_returns = function()\n").append(file("returns")).append("end\n");
    text.append(file("fast-settle")).append("end\n");
    text.append(file("fast-path"));
    text.append("local packed\nlocal function define_packed()\n");
    text.append(file("packed-window")).append("end\n");
    text.append(file("general")).append(file("utilization"));
    part(text, "BUCKET", "bucket");
    part(text, "FIXED", "fixed-window");
    part(text, "SLIDING", "sliding-window");
    part(text, "ROLLING", "rolling-window");
    text.append("local define_controller\nif uses[SLOTS] then\ndefine_controller = function()\n");
    text.append(file("adaptive-controller")).append("return complete_call\nend\nend\n");
    part(text, "SLOTS", "concurrency");
    text.append("if uses[FAIR] then\nlocal function define_fair_operations(divide, find)\n");
    text.append(file("fair-operations")).append("end\n").append(file("fair-share")).append("end\n");
    text.append("local function define_holds()\n").append(file("held-state")).append("end\n");
    text.append(file("states"));
    text.append("local function define_reservations()\n").append(file("reservation"));
    text.append("end\n");
    text.append("if has_multi then\n").append(file("multi")).append("end\n");
    return inlined(text.append(file("plan")).toString());
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

  private static void part(StringBuilder text, String algorithm, String name) {
    text.append("if uses[").append(algorithm).append("] then\n");
    text.append(file(name)).append("end\n");
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
