export { Headgate, HeadgateRejected, Slot } from "./client.js";
export type { CallOptions, Decision, Limit, Options, ReserveOptions, Subject } from "./client.js";
export { Reservation } from "./reservation.js";
export type { Costs, ReservationUpdate, Settled, UpdateOptions } from "./reservation.js";
export { limit } from "./middleware.js";
export type { MiddlewareRequest, MiddlewareResponse } from "./middleware.js";
