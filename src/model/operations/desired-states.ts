import { resourceKinds } from './resource-kinds.ts'

// Lists the desired states that rows may have, by table. Before a rollback, the target release is
// asked what it knows: it would misread an unknown state, or leave it half done.

const resource = ['reserved', 'present', 'absent']

export const desiredStates: Readonly<Record<string, readonly string[]>> = {
  accounts: ['active', 'suspended', 'terminated'],
  ...Object.fromEntries(
    resourceKinds.flatMap(({ tables }) => tables.map(table => [table, resource])),
  ),
}
