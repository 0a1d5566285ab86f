package io.headgate.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.redis.SimulatedScript;
import io.headgate.redis.SimulatedStore;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One run: virtual time, the servers, the instances, and what is seen of them. */
final class World {
  /** Long after the epoch, and no moment at which a usual window begins. */
  static final long START = 1_767_225_600_000_000L + 3 * 3_600_000_000L + 7_654_321;

  /** A request under way. */
  record Offer(Event.Ask request, int rules, Plan plan, long at) {}

  /** What a server made of a batch. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Ran(byte[] reply, long clock, long order) {}

  private record Due(long at, long order, Runnable action) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private static final SimulatedScript SCRIPT = new SimulatedScript();

  private final Script script;
  private final List<Check> checks;
  private final PriorityQueue<Due> due = new PriorityQueue<>();
  private final List<Shard> shards = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final @Nullable List<String> history;
  private final long[] comings;
  private int coming;
  private long now = START;
  private long orders;
  private long steps;
  private long batches;
  private long holders;
  private @Nullable Ran reading;
  private @Nullable String failure;

  World(Script script, List<Check> checks, boolean tracing) {
    this.script = script;
    this.checks = checks;
    this.history = tracing ? new ArrayList<>() : null;
    for (int i = 0; i < script.shards(); i++) {
      shards.add(new Shard(this, i, Dice.of(script.seed(), 4, i).between(-100_000, 100_000)));
    }
    comings = script.events().stream().mapToLong(event -> START + event.at()).sorted().toArray();
    for (int i = 0; i < script.nodes(); i++) nodes.add(new Node(this, i));
    for (var event : script.events()) at(START + event.at(), () -> happen(event));
  }

  /** How long nothing will happen from outside. */
  long quietFor() {
    while (coming < comings.length && comings[coming] < now) coming++;
    long next = coming < comings.length ? comings[coming] : START + script.end();
    return next - now;
  }

  /** Runs to the end, or to the first failure; gives what failed. */
  @Nullable String run() {
    while (failure == null) {
      var next = due.poll();
      if (next == null || next.at > START + script.end()) break;
      now = next.at;
      steps++;
      next.action.run();
    }
    now = Math.max(now, START + script.end());
    int unanswered = nodes.stream().mapToInt(Node::unanswered).sum();
    if (failure == null && unanswered > 0) fail(unanswered + " checks were never answered");
    for (var check : checks) {
      if (failure == null) check.ended(this);
    }
    return failure;
  }

  private void happen(Event event) {
    note(event::toString);
    switch (event) {
      case Event.Ask ask -> {
        var node = nodes.get(ask.node());
        if (node.isAlive()) node.run(() -> ask(node, ask));
      }
      case Event.Change change -> nodes.get(change.node()).change(change.rules());
      case Event.Crash crash -> {
        var node = nodes.get(crash.node());
        if (!node.isAlive()) return;
        node.crash();
        at(now + crash.downFor(), node::start);
      }
      case Event.Pause pause -> {
        var node = nodes.get(pause.node());
        if (!node.isAlive()) return;
        node.pause();
        at(now + pause.lasts(), node::resume);
      }
      case Event.Cut cut -> {
        var path = nodes.get(cut.node()).path(cut.shard());
        path.refuse(true);
        at(now + cut.lasts(), () -> path.refuse(false));
      }
      case Event.Weather weather -> {
        var path = nodes.get(weather.node()).path(weather.shard());
        path.weather(
            weather.lostRequests(), weather.lostReplies(), weather.twice(), weather.delay());
        at(now + weather.lasts(), () -> path.weather(0, 0, 0, 0));
      }
      case Event.Outage outage -> {
        var shard = shards.get(outage.shard());
        if (shard.dead) return;
        shard.stop(outage.silent());
        for (var node : nodes) node.path(outage.shard()).update();
        if (!outage.silent()) {
          for (var node : nodes) node.path(outage.shard()).reset();
        }
        at(
            now + outage.lasts(),
            () -> {
              shard.start(outage.lostTail());
              for (var node : nodes) node.path(outage.shard()).update();
              if (outage.lostTail() > 0) {
                for (var node : nodes) node.path(outage.shard()).reset();
              }
            });
      }
    }
  }

  private void ask(Node node, Event.Ask ask) {
    long self = node.generation();
    long holder = ++holders;
    var request = Request.of(Subject.of(ask.subject()), ask.cost());
    var plan = node.rules().plan(request, node.wallClock(), holder);
    var offer = new Offer(ask, node.ruleSet(), plan, now);
    for (var check : checks) check.offered(this, offer);
    node.asked();
    node.store()
        .decide(plan)
        .whenComplete((answer, problem) -> {
          if (node.generation() != self) return;
          node.answered();
          if (problem != null) fail("a check failed: " + problem + " (" + ask + ")");
          else decided(node, offer, answer);
        });
  }

  private void decided(Node node, Offer offer, PlanResult answer) {
    var ran = reading;
    boolean byReply = ran != null && answer.source() == io.headgate.store.Source.STORE;
    var decision =
        new Decision(
            offer.request,
            offer.rules,
            offer.plan,
            answer,
            offer.at,
            byReply && ran != null ? ran.clock : clockOf(offer.plan),
            byReply && ran != null ? ran.order : batches);
    note(() -> "  decided: " + decision);
    for (var check : checks) check.decided(this, decision);
    if (decision.isAllowed() && !decision.isFallback()) release(node, decision);
  }

  private long clockOf(Plan plan) {
    return plan.charges().isEmpty() ? now : shardOf(plan.charges().getFirst()).clock();
  }

  /** The caller's work takes its time; then it gives its slots back. */
  private void release(Node node, Decision decision) {
    if (decision.request().holdFor() == 0) return;
    long self = node.generation();
    for (var charge : decision.plan().charges()) {
      if (!(charge.limit() instanceof Concurrency)) continue;
      at(
          now + decision.request().holdFor(),
          () ->
              node.run(() -> {
                if (node.generation() == self) release(node, charge);
              }));
    }
  }

  private static void release(Node node, Charge charge) {
    var unused = node.store().release(charge).exceptionally(problem -> false);
  }

  void at(long time, Runnable action) {
    due.add(new Due(Math.max(time, now), orders++, action));
  }

  Ran run(int shard, byte[][] keys, byte[] argument) {
    var server = shards.get(shard);
    long clock = server.clock();
    batches++;
    return new Ran(SCRIPT.run(keys, argument, clock, server), clock, batches);
  }

  void whileReading(Ran ran, Runnable action) {
    reading = ran;
    try {
      action.run();
    } finally {
      reading = null;
    }
  }

  /** The first failure is the run's. */
  void fail(String what) {
    if (failure == null) {
      failure = what;
      note(() -> "FAILED: " + what);
    }
  }

  void note(Supplier<String> what) {
    if (history == null) return;
    long since = now - START;
    history.add("%4d.%06d  %s".formatted(since / 1_000_000, since % 1_000_000, what.get()));
  }

  List<String> history() {
    return history == null ? List.of() : history;
  }

  /** Of a message that will not arrive. */
  void lost(Node node, int shard) {
    note(() -> "  lost: a request of instance " + node.number() + " to shard " + shard);
  }

  /** Of a message that was heard and whose answer will not be. */
  void unheard(Node node, int shard) {
    note(() -> "  lost: a reply to instance " + node.number() + " from shard " + shard);
  }

  /** Every instance hears of it, after as long as messages take. */
  void announceReturn(String key) {
    for (var node : nodes) at(now + 2 * latency(), () -> node.returned(key));
  }

  int shardOf(int slot) {
    return (int) ((long) slot * shards.size() / SimulatedStore.SLOTS);
  }

  /** The failure domain of a slot. */
  int zoneOf(int slot) {
    return shards.size() == 1 ? 0 : SimulatedStore.zoneOf(slot);
  }

  int slotOf(Charge charge) {
    return shards.size() == 1 ? 0 : SimulatedStore.slotOf(charge.key());
  }

  /** The server of a charge's counter. */
  Shard shardOf(Charge charge) {
    return shards.get(shardNumber(charge));
  }

  int shardNumber(Charge charge) {
    return shards.size() == 1 ? 0 : shardOf(slotOf(charge));
  }

  Shard shard(int number) {
    return shards.get(number);
  }

  Node node(int number) {
    return nodes.get(number);
  }

  int shards() {
    return shards.size() == 0 ? script.shards() : shards.size();
  }

  int instances() {
    return script.nodes();
  }

  Script script() {
    return script;
  }

  long seed() {
    return script.seed();
  }

  long latency() {
    return script.latency();
  }

  long now() {
    return now;
  }

  long steps() {
    return steps;
  }
}
