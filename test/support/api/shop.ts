import type { Test } from 'tap'
import type { Plan } from '../../../src/model/sellers/plan-limits.ts'
import type { Answer, Panel } from '../panel.ts'
import { makeReseller } from '../reseller.ts'

/** A reseller with a plan, unless it is to have none, and what it asks of the panel. */
export async function openShop(panel: Panel, name: string, plan: Plan | null) {
  const { token } = await makeReseller(panel.pool, name, plan)
  const ask = (method: string, path: string, body?: unknown, key?: string, by = token) =>
    panel.call(method, `/api/v1${path}`, {
      token: by,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
    })
  return {
    ask,
    get: (path: string) => ask('GET', path),
    put: (packageName: string, fields: object) => ask('PUT', `/packages/${packageName}`, fields),
    change: (username: string, to: string, by?: string) =>
      ask('PUT', `/accounts/${username}/package`, { package: to }, undefined, by),
    create: (username: string, packageName: string, key?: string) => {
      const password = 'correct horse battery'
      const email = 'someone@example.com'
      return ask('POST', '/accounts', { username, password, email, package: packageName }, key)
    },
  }
}

/** Asserts a refusal by the plan. */
export function isForbidden(t: Test, { status, body }: Answer, error: RegExp) {
  t.match({ status, body }, { status: 403, body: { error } })
}
