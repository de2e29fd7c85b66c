import type { Service } from '../contract.ts'

const counts: Record<Service, number> = { nginx: 0, ssh: 0 }

/** Counts a reload, for the metrics. */
export const countReload = (service: Service): void => void (counts[service] += 1)

/** Returns how often this process has reloaded each service. */
export const reloadCounts = (): Record<Service, number> => ({ ...counts })
