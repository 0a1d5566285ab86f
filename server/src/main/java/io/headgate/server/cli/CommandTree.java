package io.headgate.server.cli;

import io.headgate.server.cli.options.ConfigOption;
import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * All commands, in the groups and the order of {@code headgate --help}.
 *
 * <p>Reflection over the options of every command takes longer than a check. If the arguments begin
 * with the name of a command, only that command is created.
 */
final class CommandTree {
  private record Entry(String name, Supplier<CommandLine> command) {}

  private record Group(String heading, List<Entry> entries) {}

  private final CommandContext context;
  private final Configuration configuration;
  private final ServiceClient client;

  CommandTree(CommandContext context, Configuration configuration, ServiceClient client) {
    this.context = context;
    this.configuration = configuration;
    this.client = client;
  }

  /** Returns the root command with the subcommands that the arguments may need. */
  CommandLine forArguments(String... args) {
    var groups = groups(args.length > 1 ? args[1] : "");
    var root = new CommandLine(new Main());
    var entries = groups.stream().flatMap(group -> group.entries.stream()).toList();
    add(root, entries, args.length > 0 ? args[0] : "");
    root.getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> list(help, groups));
    return root;
  }

  private static void add(CommandLine parent, List<Entry> entries, String name) {
    var named = entries.stream().filter(entry -> entry.name.equals(name)).toList();
    // help and completion describe all commands.
    boolean all = named.isEmpty() || name.equals("help") || name.equals("completion");
    for (var entry : all ? entries : named) {
      parent.addSubcommand(entry.name, entry.command.get());
    }
  }

  private static String list(Help help, List<Group> groups) {
    var text = new StringBuilder();
    var all = help.subcommands();
    for (var group : groups) {
      var commands = new LinkedHashMap<String, Help>();
      for (var entry : group.entries) {
        var command = all.get(entry.name);
        if (command != null) commands.put(entry.name, command);
      }
      text.append("%n%s:%n".formatted(group.heading)).append(help.commandList(commands));
    }
    return text.toString();
  }

  private List<Group> groups(String subcommand) {
    return List.of(
        new Group(
            "Run the service",
            List.of(
                new Entry("serve", () -> ServeHelp.applied(of(serve()))),
                plain("warm-up", () -> new WarmUpCommand(context)),
                plain("size", () -> new SizeCommand(context)),
                client("doctor", () -> new DoctorCommand(context, configuration, client)))),
        new Group(
            "See what a running service does",
            List.of(
                client("status", () -> new StatusCommand(context, client)),
                client("cluster", () -> new ClusterCommand(context, client)),
                client("regions", () -> new RegionsCommand(context, client)),
                client("check", () -> new CheckCommand(context, client)),
                client("explain", () -> new ExplainCommand(context, client)),
                client("callers", () -> new CallersCommand(context, client)),
                client("top", () -> new TopCommand(context, client)),
                client("bench", () -> new BenchCommand(context, client)))),
        new Group(
            "Handle callers",
            List.of(
                client("block", () -> new BlockCommand(context, client)),
                client("unblock", () -> new UnblockCommand(context, client)),
                client("blocks", () -> new BlocksCommand(context, client)),
                client("reset", () -> new ResetCommand(context, client)),
                new Entry(
                    "slots",
                    () ->
                        parent(
                            new SlotsCommand(),
                            subcommand,
                            client("acquire", () -> new AcquireCommand(context, client)),
                            client("renew", () -> new RenewCommand(context, client)),
                            client("release", () -> new ReleaseCommand(context, client)))))),
        new Group(
            "Write and change rules",
            List.of(
                new Entry("rules", () -> rules(subcommand)),
                plain("simulate", () -> new SimulateCommand(context)))),
        new Group(
            "Help",
            List.of(
                plain("help", HelpCommand::new),
                plain("completion", () -> new CompletionCommand(context)))));
  }

  private ServeCommand serve() {
    return new ServeCommand(context, configuration);
  }

  private CommandLine rules(String subcommand) {
    return parent(
        new RulesCommand(),
        subcommand,
        client("list", () -> new ListCommand(context, client)),
        client("show", () -> new ShowCommand(context, client)),
        client("apply", () -> new ApplyCommand(context, client)),
        client("delete", () -> new DeleteCommand(context, client)),
        client("history", () -> new HistoryCommand(context, client)),
        client("diff", () -> new DiffCommand(context, client)),
        client("restore", () -> new RestoreCommand(context, client)),
        client("export", () -> new ExportCommand(context, client)),
        plain("lint", () -> new LintCommand(context)),
        plain("import-envoy", () -> new ImportEnvoyCommand(context)),
        plain("example", () -> new ExampleCommand(context)));
  }

  private static CommandLine parent(Object command, String subcommand, Entry... entries) {
    var line = new CommandLine(command);
    add(line, List.of(entries), subcommand);
    return line;
  }

  private static Entry plain(String name, Supplier<Object> command) {
    return new Entry(name, () -> new CommandLine(command.get()));
  }

  /** A command whose options can also be set in the environment and in a file. */
  private static Entry client(String name, Supplier<Object> command) {
    return new Entry(name, () -> of(command.get()));
  }

  private static CommandLine of(Object command) {
    return new CommandLine(command).addMixin("config", new ConfigOption());
  }
}
