/** Decisions of a Headgate service instead of the application. Needs {@code headgate-client}. */
@NullMarked
package io.headgate.spring.service;

import org.jspecify.annotations.NullMarked;
