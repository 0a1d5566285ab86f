/** The dashboard's files, the OpenAPI description, and the service info and health endpoints. */
@NullMarked
package io.headgate.server.http.ui;

import org.jspecify.annotations.NullMarked;
