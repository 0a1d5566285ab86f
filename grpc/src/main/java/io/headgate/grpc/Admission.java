package io.headgate.grpc;

import io.headgate.Decision;
import java.util.Optional;

/**
 * The decision on a call.
 *
 * @param decision the decision
 * @param rule the id of the rule that determined it; empty if no rule applies
 * @param slots releases the slots that the call holds; empty if it holds none
 */
public record Admission(Decision decision, Optional<String> rule, Optional<SlotRelease> slots) {}
