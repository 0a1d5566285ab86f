package io.headgate.server.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Groups the options of {@code serve} by topic in its help, those that most users need first.
 *
 * <p>The topic of an option is that of its mixin, so that a new option has one. Picocli's own
 * option groups are not used: they ignore defaults from the environment and from files unless an
 * option of the group is on the command line.
 */
final class ServeHelp implements IHelpSectionRenderer {
  private static final String ESSENTIALS = "Essentials";
  private static final String OTHER = "Starting and stopping";

  private static final List<String> ESSENTIAL_OPTIONS =
      List.of(
          "--port",
          "--host",
          "--store",
          "--database",
          "--rules",
          "--admin-token",
          "--read-token",
          "--check-token");

  /** The topics of the mixins of {@link ServeCommand}, in the order of the help. */
  private static final Map<String, String> TOPICS = topics();

  private static Map<String, String> topics() {
    var topics = new LinkedHashMap<String, String>();
    topics.put("rules", "Rules");
    topics.put("store", "Store of the counters");
    topics.put("tokens", "Tokens");
    topics.put("listen", "TLS, proxies and connections");
    topics.put("grpc", "gRPC");
    topics.put("stats", "Statistics and notifications");
    topics.put("traces", "Traces");
    topics.put("log", "Log");
    topics.put("config", "Configuration file");
    topics.put("mixinStandardHelpOptions", "Help");
    return topics;
  }

  /** Returns the command with grouped help. */
  static CommandLine applied(CommandLine serve) {
    serve.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new ServeHelp());
    return serve;
  }

  @Override
  public String render(Help help) {
    var text = new StringBuilder();
    grouped(help.commandSpec())
        .forEach((topic, options) -> {
          var layout = help.createDefaultLayout(options, List.of(), help.colorScheme());
          layout.addOptions(options, help.createDefaultParamLabelRenderer());
          text.append("%n%s:%n".formatted(topic)).append(layout);
        });
    return text.toString();
  }

  /** Returns all options by topic, in the order of the help. */
  static Map<String, List<OptionSpec>> grouped(CommandSpec spec) {
    var groups = new LinkedHashMap<String, List<OptionSpec>>();
    var essentials = ESSENTIAL_OPTIONS.stream().map(name -> spec.findOption(name)).toList();
    groups.put(ESSENTIALS, essentials);
    for (var topic : TOPICS.values()) {
      if (topic.equals("Log")) groups.put(OTHER, new ArrayList<>());
      groups.put(topic, new ArrayList<>());
    }
    for (var option : spec.options()) {
      if (!ESSENTIAL_OPTIONS.contains(option.longestName())) {
        groups.computeIfAbsent(topic(spec, option), none -> new ArrayList<>()).add(option);
      }
    }
    groups.values().removeIf(List::isEmpty);
    return groups;
  }

  private static String topic(CommandSpec spec, OptionSpec option) {
    return spec.mixins().entrySet().stream()
        .filter(mixin -> mixin.getValue().findOption(option.longestName()) != null)
        .map(mixin -> TOPICS.getOrDefault(mixin.getKey(), OTHER))
        .findFirst()
        .orElse(OTHER);
  }
}
