/** Whether tests that have a long form take that one, which takes minutes. */
export const isFull = process.env['PANEL_TEST_FULL'] === 'yes'

/** Longer than any file takes; a file that hangs fails and names its test. */
export const fileTimeoutS = isFull ? 900 : 600
