/** The store whose counters live in the instances themselves, without a server of its own. */
@NullMarked
package io.headgate.cluster;

import org.jspecify.annotations.NullMarked;
