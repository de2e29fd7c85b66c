// What scripts may take, where their account's package allows it.

/** Seconds after which PHP ends a request, whatever it does or waits for. */
export const phpLimitSeconds = 300

/** Seconds after which a session that nobody uses is over. */
export const sessionSeconds = 1_440
