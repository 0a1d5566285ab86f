/** Limits requests of Spring MVC and of other servlets. */
@NullMarked
package io.headgate.spring.mvc;

import org.jspecify.annotations.NullMarked;
