import { write } from '../operations/writes.ts'

/** Has the worker show that it can change the machine; nothing is changed. */
export const checkServer = write({
  name: 'server/check',
  decide: async () => ({ accountId: null, params: {} }),
})
