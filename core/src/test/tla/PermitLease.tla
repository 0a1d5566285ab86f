---------------------------- MODULE PermitLease ----------------------------
(***************************************************************************)
(* The permit lease protocol of `consistency: leased`, for a token bucket. *)
(*                                                                         *)
(* The store keeps the charges of a counter (a debt that time repays) and  *)
(* the holds of the instances.  An instance spends the permits of its hold *)
(* without a request to the store.  A take reports the spent permits and   *)
(* requests the next hold.                                                 *)
(*                                                                         *)
(* Faults: a message that is never delivered is lost; one that stays in    *)
(* `requests` while others overtake it is late; an instance that takes no  *)
(* further step has crashed; a clock that skips ticks has drifted; checks  *)
(* and takes under either limit are in flight while a rule changes.        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Instances, \* the instances that lease permits
  Limits,    \* the capacities of the rule before and after a change, each an even number
  Lease,     \* the length of a lease, in ticks of the store's clock
  Margin,    \* how much earlier an instance ends its lease
  Drift,     \* how many ticks the clock of an instance may fall behind the store's
  MaxWant,   \* the largest hold that an instance requests
  MaxTakes,  \* the number of takes per instance
  MaxTime,   \* the time at which the run ends
  Ordered    \* whether the store ignores a take that a later one has overtaken

ASSUME Drift <= Margin /\ Margin < Lease

VARIABLES
  now,       \* the store's clock
  cap,       \* the capacity in whose terms the store has the state
  debt,      \* charged and not repaid
  holds,     \* by instance: amount, end of the lease, number of the take that granted it
  inst,      \* by instance: the local state of its lease
  requests,  \* takes in flight
  replies,   \* replies in flight to instances that wait for them
  meter      \* ghost: a bucket that is charged when permits are spent, in parts of All

vars == <<now, cap, debt, holds, inst, requests, replies, meter>>

Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b
CeilDiv(a, b) == (a + b - 1) \div b
Largest == CHOOSE l \in Limits : \A m \in Limits : m <= l

\* The whole limit in parts that are whole numbers under each of the Limits.
All == Largest
Weight(l) == All \div l

RECURSIVE Total(_, _)
Total(hs, of) == IF of = {} THEN 0
                 ELSE LET i == CHOOSE x \in of : TRUE IN hs[i].amount + Total(hs, of \ {i})

NoHold == [amount |-> 0, until |-> 0, nr |-> 0]

Init ==
  /\ now = 0
  /\ cap = Largest
  /\ debt = 0
  /\ holds = [i \in Instances |-> NoHold]
  /\ inst = [i \in Instances |->
              [held |-> 0, spent |-> 0, until |-> 0, ends |-> 0, limit |-> Largest,
               usable |-> FALSE, waiting |-> FALSE, nr |-> 0, behind |-> 0]]
  /\ requests = {}
  /\ replies = {}
  /\ meter = 0

Clock(i) == now - inst[i].behind

(***************************************************************************)
(* Time.  Both limits repay half of their capacity a tick.  A hold whose   *)
(* lease is over is charged whole.                                         *)
(***************************************************************************)
Tick ==
  /\ now < MaxTime
  /\ LET over == {i \in Instances : holds[i].amount > 0 /\ holds[i].until = now + 1}
     IN /\ debt' = Max(0, debt - cap \div 2) + Total(holds, over)
        /\ holds' = [i \in Instances |-> IF i \in over THEN NoHold ELSE holds[i]]
  /\ now' = now + 1
  /\ meter' = Max(0, meter - All \div 2)
  /\ \E slow \in SUBSET {i \in Instances : inst[i].behind < Drift} :
       inst' = [i \in Instances |->
                 IF i \in slow THEN [inst[i] EXCEPT !.behind = @ + 1] ELSE inst[i]]
  /\ UNCHANGED <<cap, requests, replies>>

(***************************************************************************)
(* A decision under another limit converts the state, in proportion and    *)
(* rounded up.  Other commands leave a state of another limit alone.       *)
(***************************************************************************)
Scaled(n, from, to) == CeilDiv(n * to, from)
ScaledHolds(l) ==
  [i \in Instances |-> IF holds[i].amount = 0 THEN NoHold
                       ELSE [holds[i] EXCEPT !.amount = Scaled(@, cap, l)]]
IsFresh == debt = 0 /\ \A i \in Instances : holds[i].amount = 0

(* A check that the store decides, under limit l. *)
Check(l) ==
  LET d == Scaled(debt, cap, l)
      hs == ScaledHolds(l)
      passes == d + Total(hs, Instances) < l
  IN /\ passes \/ l # cap
     /\ cap' = l
     /\ holds' = hs
     /\ debt' = IF passes THEN d + 1 ELSE d
     /\ meter' = IF passes THEN meter + Weight(l) ELSE meter
     /\ UNCHANGED <<now, inst, requests, replies>>

(* A check that an instance decides by its lease. *)
Spend(i) ==
  LET s == inst[i]
  IN /\ s.usable /\ s.spent < s.held /\ Clock(i) < s.ends
     /\ inst' = [inst EXCEPT ![i].spent = @ + 1]
     /\ meter' = meter + Weight(s.limit)
     /\ UNCHANGED <<now, cap, debt, holds, requests, replies>>

(* The instance sees a charge under the changed limit: the hold is of the other one. *)
Change(i, l) ==
  /\ inst[i].limit # l
  /\ ~inst[i].waiting
  /\ inst' = [inst EXCEPT ![i].limit = l, ![i].usable = FALSE, ![i].until = 0]
  /\ UNCHANGED <<now, cap, debt, holds, requests, replies, meter>>

(* Reports the usage of the hold and requests the next one; want = 0 releases the hold. *)
Take(i, want) ==
  LET s == inst[i]
      usable == s.usable /\ Clock(i) < s.ends /\ want > 0
      room == IF usable THEN s.held - s.spent ELSE 0
  IN /\ ~s.waiting /\ s.nr < MaxTakes
     /\ want >= room
     /\ want > 0 \/ s.held > 0
     /\ requests' = requests \cup
          {[from |-> i, nr |-> s.nr + 1, limit |-> s.limit, want |-> want, spent |-> s.spent,
            held |-> s.held, until |-> s.until, at |-> Clock(i)]}
     /\ inst' = [inst EXCEPT ![i].waiting = TRUE, ![i].nr = @ + 1, ![i].usable = usable]
     /\ UNCHANGED <<now, cap, debt, holds, replies, meter>>

(***************************************************************************)
(* The store executes a take.  A take decides no request here, so it does  *)
(* not convert a state of another limit: it grants nothing then.           *)
(***************************************************************************)
Execute(r) ==
  LET i == r.from
      own == holds[i].amount
      others == Total(holds, Instances \ {i})
      used == IF own = 0 THEN (IF now < r.until THEN r.spent ELSE 0)
              ELSE IF own = r.held THEN r.spent
              ELSE IF r.spent = r.held THEN own
              ELSE CeilDiv(r.spent * own, r.held)
      left == Max(0, own - used)
      free == Max(0, cap - (debt + used) - others - left)
      \* Permits that the instance may still spend while it waits for the reply stay held.
      room == IF r.until = 0 THEN 0 ELSE r.held - r.spent
      kept == Min(Min(left, r.want), Max(room, cap - (debt + used) - others))
      amount == kept + Min(r.want - kept, free)
      stale == Ordered /\ own > 0 /\ r.nr < holds[i].nr
      other == r.limit # cap /\ ~IsFresh
      granted == IF stale \/ other THEN 0 ELSE amount
  IN /\ requests' = requests \ {r}
     /\ IF stale \/ other
        THEN UNCHANGED <<cap, debt, holds>>
        ELSE /\ cap' = r.limit
             /\ debt' = debt + used
             /\ holds' = [holds EXCEPT ![i] =
                  IF amount = 0 THEN NoHold
                  ELSE [amount |-> amount, until |-> now + Lease,
                        nr |-> IF Ordered THEN r.nr ELSE 0]]
     /\ replies' = IF inst[i].waiting /\ r.nr = inst[i].nr
                   THEN replies \cup {[to |-> i, amount |-> granted, until |-> now + Lease,
                                       spent |-> r.spent, at |-> r.at, limit |-> r.limit]}
                   ELSE replies
     /\ UNCHANGED <<now, inst, meter>>

(* The reply arrives.  Permits that were spent since the take are reported with the next. *)
Reply(r) ==
  LET s == inst[r.to]
  IN /\ inst' = [inst EXCEPT ![r.to] =
          [s EXCEPT !.waiting = FALSE, !.held = r.amount, !.usable = r.amount > 0,
                    !.spent = Min(r.amount, s.spent - r.spent),
                    !.until = IF r.amount = 0 THEN 0 ELSE r.until,
                    !.ends = IF r.amount = 0 THEN 0 ELSE r.at + Lease - Margin]]
     /\ replies' = replies \ {r}
     /\ UNCHANGED <<now, cap, debt, holds, requests, meter>>

(* The instance stops waiting.  Whether the take was, or will be, executed is unknown. *)
Timeout(i) ==
  /\ inst[i].waiting
  /\ inst' = [inst EXCEPT ![i].waiting = FALSE, ![i].usable = FALSE]
  /\ replies' = {r \in replies : r.to # i}
  /\ UNCHANGED <<now, cap, debt, holds, requests, meter>>

Next ==
  \/ Tick
  \/ \E l \in Limits : Check(l)
  \/ \E i \in Instances :
       Spend(i) \/ Timeout(i) \/ (\E l \in Limits : Change(i, l)) \/ (\E w \in 0..MaxWant : Take(i, w))
  \/ \E r \in requests : Execute(r)
  \/ \E r \in replies : Reply(r)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Instances)

-----------------------------------------------------------------------------
(* Charges and holds fit the limit. *)
Fits == debt + Total(holds, Instances) <= cap

(* The permits spent in any span of t are at most burst + rate * t. *)
Bounded == meter <= All
=============================================================================
