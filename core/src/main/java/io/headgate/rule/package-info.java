/**
 * Rules: who is limited, by what, and how strictly. Start at {@link io.headgate.rule.Rule}, then
 * {@link io.headgate.rule.RuleSet}, which finds the rules that apply to a {@link
 * io.headgate.rule.Subject}, and {@link io.headgate.rule.Plan}, the limits of all of them as one
 * pure function: everything passes and is charged, or nothing is.
 *
 * <p>One sentence holds it together: <em>every rule that matches applies; inside a rule, the first
 * override that matches replaces its limit; a rule marked fallback applies only when no other
 * does.</em>
 *
 * <p>Lives here: the rule model, matching and its index, plans. May not: clocks, stores, file
 * formats, servers. Knows {@code io.headgate.limit} and nothing else of Headgate.
 */
@NullMarked
package io.headgate.rule;

import org.jspecify.annotations.NullMarked;
