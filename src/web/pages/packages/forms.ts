import type { Pool } from '../../../db.ts'
import type { Caller } from '../../../model/callers.ts'
import { packageName } from '../../../model/grammar.ts'
import * as packages from '../../../model/packages.ts'
import { word } from '../../api-call.ts'
import { checkbox, number, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { owners } from '../../page.ts'
import { count } from '../../words.ts'

// Packages: create, change and delete.

const { max_sites, disk_mb, memory_mb, cpu_percent, sftp, max_databases, database_connections } =
  packages.limits

const limits = {
  max_sites: number('Websites', max_sites, { hint: 'At most.' }),
  disk_mb: number('Disk', disk_mb, { unit: 'MB' }),
  memory_mb: number('Memory', memory_mb, { unit: 'MB' }),
  cpu_percent: number('Processor', cpu_percent, {
    unit: '%',
    hint: '100 is one core.',
  }),
  sftp: checkbox('SFTP is allowed', sftp),
  max_databases: number('Databases', max_databases, { hint: 'At most.' }),
  database_connections: number('Database connections', database_connections, {
    hint: 'Of each database user, at a time.',
  }),
}

const usual = {
  ...{ max_sites: 1, disk_mb: 1024, memory_mb: 512, cpu_percent: 100, sftp: true },
  ...{ max_databases: 1, database_connections: 20 },
}

const countOn = async (pool: Pool, caller: Caller, name: string): Promise<number> =>
  (await packages.listWithUse(pool, caller)).find(one => one.name === name)?.accounts ?? 0

const command = (name: unknown, values: Record<string, unknown>) =>
  `panel package set ${word(name)} --max-sites ${word(values['max_sites'])} ` +
  `--disk-mb ${word(values['disk_mb'])} --memory-mb ${word(values['memory_mb'])} ` +
  `--cpu-percent ${word(values['cpu_percent'])} --sftp ${values['sftp'] ? 'yes' : 'no'} ` +
  `--max-databases ${word(values['max_databases'])} ` +
  `--database-connections ${word(values['database_connections'])}`

export const newPackage = form({
  path: '/packages/new',
  roles: owners,
  title: () => 'Create package',
  parent: () => '/packages',
  fields: { name: text('Name', packageName, { example: 'starter' }), ...limits },
  load: async () => ({ values: usual }),
  submit: 'Create package',
  said: () => 'The package is there.',
  call: (_, { name, ...values }) => ({
    method: 'PUT',
    path: `/packages/${encodeURIComponent(String(name))}`,
    body: values,
    command: command(name, values),
  }),
  write: packages.add,
  toWanted: ({ values }) => values,
})

export const editPackage = form({
  path: '/packages/:name',
  roles: owners,
  title: ({ name }) => `Package ${name}`,
  parent: () => '/packages',
  fields: limits,
  async load({ pool, caller, params: { name } }) {
    const found = await packages.get(pool, caller, name)
    const accounts = await countOn(pool, caller, name)
    const words =
      accounts === 0
        ? 'No account is on this package.'
        : `What is changed holds for ${count(accounts, 'account')} within moments.`
    return { values: found, words: [words], isUsed: accounts > 0 }
  },
  template: 'pages/packages/edit',
  // One that somebody has deleted meanwhile is not made again.
  async check({ pool, caller, params: { name } }) {
    await packages.get(pool, caller, name)
  },
  submit: 'Save',
  said: ({ name }) => `Package ${name} is saved.`,
  call: ({ name }, values) => ({
    method: 'PUT',
    path: '/packages/:name',
    body: values,
    command: command(name, values),
  }),
  write: packages.set,
  toWanted: ({ params, values }) => ({ ...params, ...values }),
})

export const deletePackage = form({
  path: '/packages/:name/delete',
  roles: owners,
  title: ({ name }) => `Delete package ${name}`,
  parent: ({ name }) => `/packages/${encodeURIComponent(name)}`,
  fields: {},
  async load({ pool, caller, params: { name } }) {
    await packages.get(pool, caller, name)
    const accounts = await countOn(pool, caller, name)
    if (accounts === 0) return { words: ['No account is on this package.'] }
    const need = accounts === 1 ? 'needs' : 'need'
    const words = `It cannot be deleted: ${count(accounts, 'account')} on it ${need} another first.`
    return { words: [words], isIdle: true }
  },
  submit: 'Delete',
  said: ({ name }) => `Package ${name} is deleted.`,
  isDanger: true,
  call: ({ name }) => ({
    method: 'DELETE',
    path: '/packages/:name',
    command: `panel package rm ${word(name)}`,
  }),
  write: packages.remove,
  toWanted: ({ params }) => params,
  then: () => '/packages',
})
