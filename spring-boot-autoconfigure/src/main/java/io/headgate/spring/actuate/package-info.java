/** The Actuator endpoint, the health contribution and the metrics of Headgate. */
@NullMarked
package io.headgate.spring.actuate;

import org.jspecify.annotations.NullMarked;
