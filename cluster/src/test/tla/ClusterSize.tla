----------------------------- MODULE ClusterSize -----------------------------
(***************************************************************************)
(* Which members of a cluster decide: never two sets that do not see each  *)
(* other.                                                                  *)
(*                                                                         *)
(* A member knows the voters that were agreed on last and, while they      *)
(* change, the proposed ones.  It decides while it sees a quorum of both.  *)
(* Members that see each other tell each other what they know.  A member   *)
(* counts another only while it knows what that one knows: in the program, *)
(* what it has heard is about a second old.                                *)
(*                                                                         *)
(* Faults: the network falls apart in any way, and heals, at any time.  A  *)
(* member that crashes is one that nobody sees; one that starts again has  *)
(* what it knew, unless Forgets.  What members tell each other may arrive  *)
(* at any time, or never.                                                  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
  Members,    \* numbers; the lowest of a set of voters breaks ties
  Listed,     \* the members that are named in the list of all
  MaxVersion, \* bounds the number of changes
  Changes,    \* whether voters change
  Forgets,    \* whether a member that crashes forgets what it knew
  Joint       \* FALSE: a proposal is in force as soon as a member knows it

VARIABLES
  know, \* by member: the version, the agreed voters and the proposed ones; {} if none
  side  \* by member: its part of the network

vars == <<know, side>>

(* Founding: at the start, the list is what was agreed on. *)
Nothing == [version |-> 0, voters |-> Listed, next |-> {}]

Lowest(s) == CHOOSE m \in s : \A n \in s : m <= n

(* Voters.isQuorum *)
Quorum(voters, present) ==
  LET n == Cardinality(voters \cap present) IN
  \/ 2 * n > Cardinality(voters)
  \/ 2 * n = Cardinality(voters) /\ Lowest(voters) \in present

(* Agreement.merge *)
Merge(mine, other) ==
  IF other.version > mine.version THEN other
  ELSE IF other.version < mine.version THEN mine
  ELSE IF mine.next = {} THEN other ELSE mine

Near(m) == {n \in Members : side[n] = side[m]}

(* Agreement.includes *)
Seen(m) == {n \in Near(m) : \/ know[n].version < know[m].version
                            \/ /\ know[n].version = know[m].version
                               /\ know[n].next \in {{}, know[m].next}}

(* Agreement.mayDecide *)
Decides(m) ==
  /\ Quorum(know[m].voters, Seen(m))
  /\ Joint /\ know[m].next # {} => Quorum(know[m].next, Seen(m))

Init ==
  /\ know = [m \in Members |-> Nothing]
  /\ side = [m \in Members |-> m]

(* Members start, crash, are cut off and found again. *)
Cut ==
  /\ side' \in [Members -> Members]
  /\ \A m \in Members : side'[m] = Lowest({n \in Members : side'[n] = side'[m]})
  /\ UNCHANGED know

Forget(m) ==
  /\ Forgets /\ Near(m) = {m}
  /\ know' = [know EXCEPT ![m] = Nothing]
  /\ UNCHANGED side

Hear(m, n) ==
  /\ n \in Near(m)
  /\ know' = [know EXCEPT ![m] = Merge(know[m], know[n])]
  /\ know' # know
  /\ UNCHANGED side

(* Some leave in order or are replaced, and those that are present join. *)
Propose(m) ==
  /\ Changes /\ Decides(m)
  /\ know[m].next = {} /\ know[m].version < MaxVersion
  /\ \E next \in SUBSET (know[m].voters \cup Seen(m)) :
       /\ next \notin {{}, know[m].voters}
       /\ know' = IF Joint THEN [know EXCEPT ![m].next = next]
                  ELSE [know EXCEPT ![m] = [version |-> @.version + 1, voters |-> next,
                                             next |-> {}]]
  /\ UNCHANGED side

(* Agreement.agree *)
Agree(m) ==
  /\ know[m].next # {}
  /\ LET knowing == {n \in Near(m) : \/ /\ know[n].version = know[m].version
                                        /\ know[n].next = know[m].next
                                     \/ /\ know[n].version = know[m].version + 1
                                        /\ know[n].voters = know[m].next}
     IN Quorum(know[m].voters, knowing) /\ Quorum(know[m].next, knowing)
  /\ know' = [know EXCEPT ![m] = [version |-> @.version + 1, voters |-> @.next, next |-> {}]]
  /\ UNCHANGED side

Next ==
  \/ Cut
  \/ \E m \in Members :
       Forget(m) \/ Propose(m) \/ Agree(m) \/ \E n \in Members : Hear(m, n)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Never two sets of members that both decide. *)
OneDecides == \A m, n \in Members : Decides(m) /\ Decides(n) => side[m] = side[n]
=============================================================================
