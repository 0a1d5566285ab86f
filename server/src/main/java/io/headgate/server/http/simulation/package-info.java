/** The endpoints that simulate rules: the playground and what-if. */
@NullMarked
package io.headgate.server.http.simulation;

import org.jspecify.annotations.NullMarked;
