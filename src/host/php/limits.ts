// Limits of PHP scripts, where their account's package allows as much.

/**
 * Maximum seconds that a request may take, computing or waiting. PHP-FPM checks three times within
 * that time (fpm_pctl.c, its heartbeat), so it ends a request up to a third later.
 */
export const phpLimitSeconds = 300

/**
 * Seconds after which PHP considers an unused session expired, unless a script sets another time.
 */
export const sessionSeconds = 1_440

/**
 * Seconds after which the file of an unused session is removed. Scripts may set a longer lifetime
 * than the pool, which cannot be seen from outside; logins for a day are common.
 */
export const sessionSweepSeconds = Math.max(sessionSeconds, 86_400)
