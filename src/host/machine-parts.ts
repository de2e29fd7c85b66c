import type { Machine, Services } from './contract.ts'

/** What a machine consists of besides what is wired of it (machine.ts). */
export type Parts = (
  path: Machine['path'],
  wrap: (run: Machine['run']) => Machine['run'],
) => Omit<Machine, 'path' | 'services' | 'publish' | 'ensureShared'> & {
  openServices(machine: Machine): Services
}
