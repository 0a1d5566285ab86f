/**
 * Top callers in bounded memory: the Space-Saving sketch, naming, and merging of the lists of
 * several instances.
 */
@NullMarked
package io.headgate.server.callers;

import org.jspecify.annotations.NullMarked;
