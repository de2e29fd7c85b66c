/** What is used, and of how much. */
export const ofPlan = (used: number, most: number | undefined): string => `${used} of ${most ?? 0}`
