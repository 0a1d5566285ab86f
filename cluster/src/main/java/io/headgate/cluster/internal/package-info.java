/**
 * A member of the cluster, on an embedded Coherence: start and membership, the entry processor that
 * evaluates batches at the owner of a counter, the wire format, and the connection that sends
 * batches to owners. Not part of the public API.
 */
@NullMarked
package io.headgate.cluster.internal;

import org.jspecify.annotations.NullMarked;
