/**
 * Observations of checks, by Micrometer: the convention that names them, and the checker that
 * records them. Needs {@code micrometer-observation}.
 */
@NullMarked
package io.headgate.spring.observation;

import org.jspecify.annotations.NullMarked;
