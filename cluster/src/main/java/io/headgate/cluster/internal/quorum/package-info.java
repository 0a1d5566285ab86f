/** Which members decide: the rule, its state, and where the state is kept. */
@NullMarked
package io.headgate.cluster.internal.quorum;

import org.jspecify.annotations.NullMarked;
