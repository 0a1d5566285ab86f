export { Headgate, HeadgateRejected, Slot } from "./client.js";
export type { CallOptions, Decision, Limit, Options, Subject } from "./client.js";
export { limit } from "./middleware.js";
export type { MiddlewareRequest, MiddlewareResponse } from "./middleware.js";
