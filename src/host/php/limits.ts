// What scripts may take, where their account's package allows it.

/**
 * Seconds that a request may take, whatever it does or waits for. PHP-FPM looks three times in that
 * time (fpm_pctl.c, its heartbeat), so that it ends one up to a third later.
 */
export const phpLimitSeconds = 300

/** Seconds after which PHP calls a session over that nobody uses, where a script says no other. */
export const sessionSeconds = 1_440

/**
 * Seconds after which the file of a session that nobody uses is removed. Scripts may give theirs
 * more than the pool does, which is seen nowhere outside of them; logins of a day are common.
 */
export const sessionSweepSeconds = Math.max(sessionSeconds, 86_400)
