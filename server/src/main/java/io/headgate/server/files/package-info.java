/**
 * Files that may change while the service runs.
 *
 * <p>Lives here: noticing that they have. May not: know what is in them.
 */
@NullMarked
package io.headgate.server.files;

import org.jspecify.annotations.NullMarked;
