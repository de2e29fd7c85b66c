import { write } from '../operations/writes.ts'

/** Has the worker check that it can change the machine, without changing anything. */
export const checkServer = write({
  name: 'server/check',
  decide: async () => ({ accountId: null, params: {} }),
})
