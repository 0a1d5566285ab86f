/**
 * The built files of the dashboard, read from the class path once. Requests for them are handled by
 * {@code http}.
 */
@NullMarked
package io.headgate.server.dashboard;

import org.jspecify.annotations.NullMarked;
