import type { z } from 'zod'
import type { Pool } from '../../../db.ts'
import type { Caller } from '../../../model/signing-in/callers.ts'
import { packageName } from '../../../model/grammar/grammar.ts'
import {
  byLimit,
  initialLimits,
  type Limit,
  type LimitName,
  type Limits,
  limits,
  limitSchemas,
} from '../../../model/sellers/package-limits.ts'
import * as packages from '../../../model/sellers/packages.ts'
import { word } from '../../api-call.ts'
import { checkbox, type Field, listOf, number, select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { operators } from '../../page.ts'
import { t } from '../../texts/texts.ts'

// Packages: create, change and delete.

const fields = byLimit<LimitFields>(({ name, range, list, choices, label, hint, unit }) => {
  const schema = limitSchemas[name]
  if (list !== undefined) {
    return text(() => label, listOf(schema), { ...(hint && { hint: () => hint }), isPlural: true })
  }
  if (choices !== undefined) {
    return select(() => label, schema, hint ? { hint: () => hint } : {})
  }
  if (range === undefined) return checkbox(() => label, schema)
  const more = unit === undefined ? { isPlural: true as const } : { unit: () => unit }
  return number(() => label, schema, { ...more, ...(hint && { hint: () => hint }) })
})

type LimitFields = { [Name in LimitName]: Field<z.ZodType<Limits[Name]>> }

const countOn = async (pool: Pool, caller: Caller, name: string): Promise<number> =>
  (await packages.listWithUse(pool, caller)).find(one => one.name === name)?.accounts ?? 0

function argumentOf({ range, list, choices }: Limit, value: unknown): string {
  if (list !== undefined) return Array.isArray(value) && value.length > 0 ? value.join() : 'all'
  if (choices !== undefined) return word(value)
  return range === undefined ? (value ? 'yes' : 'no') : word(value)
}

// A list is one text.
const shown = (values: Limits) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )

/** The options of limits that are a choice. */
const options = Object.fromEntries(
  limits.map(({ name, choices = [] }) => [name, choices.map(value => ({ value, label: value }))]),
)

const command = (name: unknown, values: Record<string, unknown>) => {
  const options = limits.map(limit => {
    const value = values[limit.name]
    return `--${limit.name.replaceAll('_', '-')} ${argumentOf(limit, value)}`
  })
  return `panel package set ${word(name)} ${options.join(' ')}`
}

export const newPackage = form({
  path: '/packages/new',
  roles: operators,
  title: () => t('packages.createPackage'),
  parent: () => '/packages',
  fields: { name: text('packages.nameLabel', packageName, { example: 'starter' }), ...fields },
  load: async () => ({ values: shown(initialLimits), options }),
  submit: 'packages.createPackage',
  flash: () => t('packages.packageWasCreated'),
  call: (_, { name, ...values }) => ({
    method: 'PUT',
    path: `/packages/${encodeURIComponent(String(name))}`,
    body: values,
    command: command(name, values),
  }),
  write: packages.add,
  toDesired: ({ values }) => values,
})

export const editPackage = form({
  path: '/packages/:name',
  roles: operators,
  title: ({ name }) => t('packages.packageName', { name }),
  parent: () => '/packages',
  fields,
  async load({ pool, caller, params: { name } }) {
    const found = await packages.get(pool, caller, name)
    const accounts = await countOn(pool, caller, name)
    const words =
      accounts === 0
        ? t('packages.noAccountPackage')
        : t('packages.changesApplyAccountWithin', { accounts })
    return { values: shown(found), options, words: [words], isUsed: accounts > 0 }
  },
  template: 'pages/packages/edit',
  // A package that was deleted meanwhile is not made again.
  async check({ pool, caller, params: { name } }) {
    await packages.get(pool, caller, name)
  },
  submit: 'packages.save',
  flash: ({ name }) => t('packages.packageNameWasSaved', { name }),
  call: ({ name }, values) => ({
    method: 'PUT',
    path: '/packages/:name',
    body: values,
    command: command(name, values),
  }),
  write: packages.set,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
})

export const deletePackage = form({
  path: '/packages/:name/delete',
  roles: operators,
  title: ({ name }) => t('packages.deletePackageName', { name }),
  parent: ({ name }) => `/packages/${encodeURIComponent(name)}`,
  fields: {},
  async load({ pool, caller, params: { name } }) {
    await packages.get(pool, caller, name)
    const accounts = await countOn(pool, caller, name)
    if (accounts === 0) return { words: [t('packages.noAccountPackage')] }
    const words = t('packages.cannotDeletedAccountNeed', { accounts })
    return { words: [words], isIdle: true }
  },
  submit: 'packages.delete',
  flash: ({ name }) => t('packages.packageNameWasDeleted', { name }),
  isDanger: true,
  call: ({ name }) => ({
    method: 'DELETE',
    path: '/packages/:name',
    command: `panel package rm ${word(name)}`,
  }),
  write: packages.remove,
  toDesired: ({ params }) => params,
  then: () => '/packages',
})
