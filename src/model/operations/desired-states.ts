import { resourceKinds } from './resource-kinds.ts'

// What rows may want to be, by table. A release that is rolled back to is asked what it knows: it
// would take what it does not know for something else, or leave it half done.

const resource = ['reserved', 'present', 'absent']

export const desiredStates: Readonly<Record<string, readonly string[]>> = {
  accounts: ['active', 'suspended', 'terminated'],
  ...Object.fromEntries(
    resourceKinds.flatMap(({ tables }) => tables.map(table => [table, resource])),
  ),
}
