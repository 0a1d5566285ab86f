/**
 * Rules, matching and plans. Start with {@link io.headgate.rule.Rule}, then {@link
 * io.headgate.rule.RuleSet}, which finds the rules that apply to a {@link
 * io.headgate.rule.Subject}, and {@link io.headgate.rule.Plan}, which evaluates the limits of all
 * of them as one pure function: either every enforced rule passes and is charged, or nothing is
 * charged.
 *
 * <p>The semantics of rules: <em>Every rule that matches applies; inside a rule, the first override
 * that matches replaces its limit; a rule marked {@code fallback} applies only when no other does;
 * a rule marked {@code exempt} excuses the subjects it matches from all others.</em>
 *
 * <p>Contains the rule model, matching with its index, and plans. Has no clocks, stores, file
 * formats or servers. Depends on {@code io.headgate.limit} only.
 */
@NullMarked
package io.headgate.rule;

import org.jspecify.annotations.NullMarked;
