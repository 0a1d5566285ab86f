/**
 * Rules as YAML and JSON text. Start at {@link io.headgate.rulefile.RuleFile}.
 *
 * <p>A text becomes {@code SourceNode}s that know their line and column (Document), these become
 * rules (RuleReader and the readers beside it), and whatever is wrong on the way is gathered in
 * Problems rather than thrown, so that one reading shows them all. JSON is read as what it is, a
 * kind of YAML. Writing goes the other way: RuleWriter makes a Tree, YamlText and JsonText print
 * it.
 *
 * <p>Lives here: the format, its messages. May not: servers, stores, clocks, what a rule means. No
 * other package knows the YAML library, and here only Document does.
 */
@NullMarked
package io.headgate.rulefile;

import org.jspecify.annotations.NullMarked;
