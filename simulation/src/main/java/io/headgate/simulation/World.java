package io.headgate.simulation;

import io.headgate.internal.script.LimitFormat;
import io.headgate.internal.script.ScriptInterpreter;
import io.headgate.limit.SlotLimit;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
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

/** One run: virtual time, the event queue, the servers, the instances and the checks. */
final class World {
  /** The start of virtual time, which is not at the beginning of a window. */
  static final long START = 1_767_225_600_000_000L + 3 * 3_600_000_000L + 7_654_321;

  /** A request that is not decided yet. */
  record Offer(Event.Arrival request, int rules, Plan plan, long at) {}

  /** The execution of a batch by a server. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Execution(byte[] reply, long clock, long order) {}

  private record Action(long at, long order, Runnable action) implements Comparable<Action> {
    @Override
    public int compareTo(Action other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private static final ScriptInterpreter SCRIPT = new ScriptInterpreter(LimitFormat.NUMBERS);

  private final RunScript script;
  private final List<Check> checks;
  private final PriorityQueue<Action> queue = new PriorityQueue<>();
  private final List<Shard> shards = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final @Nullable List<String> history;
  private final long[] eventTimes;
  private int nextEvent;
  private long now = START;
  private long orders;
  private long steps;
  private long batches;
  private long holders;
  private @Nullable Execution reading;
  private @Nullable String failure;

  /** Creates the servers of a run. */
  interface ShardFactory {
    Shard create(World world, int number, long skew);
  }

  World(RunScript script, List<Check> checks, boolean tracing, ShardFactory servers) {
    this.script = script;
    this.checks = checks;
    this.history = tracing ? new ArrayList<>() : null;
    for (int i = 0; i < script.shards(); i++) {
      long skew = Dice.of(script.seed(), 4, i).between(-100_000, 100_000);
      shards.add(servers.create(this, i, skew));
    }
    eventTimes = script.events().stream().mapToLong(event -> START + event.at()).sorted().toArray();
    for (int i = 0; i < script.nodes(); i++) nodes.add(new Node(this, i));
    for (var event : script.events()) at(START + event.at(), () -> apply(event));
  }

  /** Returns the time until the next event of the script. */
  long quietFor() {
    while (nextEvent < eventTimes.length && eventTimes[nextEvent] < now) nextEvent++;
    long next = nextEvent < eventTimes.length ? eventTimes[nextEvent] : START + script.end();
    return next - now;
  }

  /** Runs to the end or to the first failure; returns the failure, if any. */
  @Nullable String run() {
    while (failure == null) {
      var next = queue.poll();
      if (next == null || next.at > START + script.end()) break;
      now = next.at;
      steps++;
      next.action.run();
    }
    now = Math.max(now, START + script.end());
    int unanswered = nodes.stream().mapToInt(Node::unanswered).sum();
    if (failure == null && unanswered > 0) fail(unanswered + " requests were never decided");
    for (var check : checks) {
      if (failure == null) check.ended(this);
    }
    return failure;
  }

  private void apply(Event event) {
    note(event::toString);
    switch (event) {
      case Event.Arrival arrival -> {
        var node = nodes.get(arrival.node());
        if (node.isAlive()) node.run(() -> arrival(node, arrival));
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
      case Event.NetworkFault fault -> {
        var path = nodes.get(fault.node()).path(fault.shard());
        path.setFault(fault.lostRequests(), fault.lostReplies(), fault.duplicated(), fault.delay());
        at(now + fault.lasts(), () -> path.setFault(0, 0, 0, 0));
      }
      case Event.Outage outage -> {
        var shard = shards.get(outage.shard());
        if (shard.dead) return;
        shard.stop(outage.unresponsive());
        for (var node : nodes) node.path(outage.shard()).update();
        if (!outage.unresponsive()) {
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
      case Event.OwnerChange change -> {
        if (shards.get(change.shard()) instanceof OwnedShard owned) owned.change(change);
      }
    }
  }

  private void arrival(Node node, Event.Arrival arrival) {
    long self = node.generation();
    long holder = ++holders;
    var request = Request.of(Subject.of(arrival.subject()), arrival.cost());
    var plan = node.rules().plan(request, node.wallClock(), holder);
    var offer = new Offer(arrival, node.ruleSet(), plan, now);
    for (var check : checks) check.offered(this, offer);
    node.requestSent();
    node.store()
        .decide(plan)
        .whenComplete((result, problem) -> {
          if (node.generation() != self) return;
          node.replyReceived();
          if (problem != null) fail("a request failed: " + problem + " (" + arrival + ")");
          else decided(node, offer, result);
        });
  }

  private void decided(Node node, Offer offer, PlanResult result) {
    var execution = reading;
    boolean byReply = execution != null && result.source() == io.headgate.store.Source.STORE;
    var decision =
        new TimedDecision(
            offer.request,
            offer.rules,
            offer.plan,
            result,
            offer.at,
            byReply && execution != null ? execution.clock : clockOf(offer.plan),
            byReply && execution != null ? execution.order : batches);
    note(() -> "  decided: " + decision);
    for (var check : checks) check.decided(this, decision);
    if (decision.isAllowed() && !decision.isFallback()) release(node, decision);
  }

  private long clockOf(Plan plan) {
    return plan.charges().isEmpty() ? now : shardOf(plan.charges().getFirst()).clock();
  }

  /** Releases the slots of an admitted request when it ends. */
  private void release(Node node, TimedDecision decision) {
    if (decision.request().holdFor() == 0) return;
    long self = node.generation();
    for (var charge : decision.plan().charges()) {
      if (!(charge.limit() instanceof SlotLimit)) continue;
      long held = decision.request().holdFor();
      at(
          now + held,
          () ->
              node.run(() -> {
                if (node.generation() == self) release(node, charge, held);
              }));
    }
  }

  private static void release(Node node, Charge charge, long held) {
    var unused = node.store().release(charge, completedCall(held)).exceptionally(problem -> false);
  }

  /** Returns a call of any outcome, with a wrong duration now and then. */
  private static CompletedCall completedCall(long held) {
    var outcomes = CallOutcome.values();
    int dice = (int) (held / Workload.MS % 17);
    long duration = dice < 13 ? held : dice == 13 ? CompletedCall.MAX_MICROS : 0;
    return new CompletedCall(outcomes[dice % outcomes.length], duration);
  }

  void at(long time, Runnable action) {
    queue.add(new Action(Math.max(time, now), orders++, action));
  }

  Execution run(Shard server, byte[][] keys, byte[] argument) {
    long clock = server.clock();
    return executed(SCRIPT.run(keys, argument, clock, server), clock);
  }

  /** Records that a server has executed a batch at a time. */
  Execution executed(byte[] reply, long clock) {
    return new Execution(reply, clock, ++batches);
  }

  void whileReading(Execution execution, Runnable action) {
    reading = execution;
    try {
      action.run();
    } finally {
      reading = null;
    }
  }

  /** Records a failure; only the first counts. */
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

  /** Adds a lost request to the history. */
  void requestLost(Node node, int shard) {
    note(() -> "  lost: a request of instance " + node.number() + " to shard " + shard);
  }

  /** Adds a lost reply to the history. */
  void replyLost(Node node, int shard) {
    note(() -> "  lost: a reply to instance " + node.number() + " from shard " + shard);
  }

  /** Notifies every instance that permits were returned, after the latency of messages. */
  void announceReturn(String key) {
    for (var node : nodes) at(now + 2 * latency(), () -> node.returned(key));
  }

  int shardOf(int slot) {
    return (int) ((long) slot * shards.size() / SimulatedStore.SLOTS);
  }

  /** Returns the failure domain of a slot. */
  int zoneOf(int slot) {
    return shards.size() == 1 ? 0 : SimulatedStore.zoneOf(slot);
  }

  int slotOf(Charge charge) {
    return shards.size() == 1 ? 0 : SimulatedStore.slotOf(charge.key());
  }

  /** Returns the server of a charge's counter. */
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

  RunScript script() {
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
