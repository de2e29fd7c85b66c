/** Returns how much of a limit is used, as text. */
export const ofPlan = (used: number, max: number | undefined): string => `${used} of ${max ?? 0}`
