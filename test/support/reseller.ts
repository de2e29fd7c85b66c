import type { Pool } from '../../src/db.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import type { Plan } from '../../src/model/sellers/plan-limits.ts'
import { setPlan } from '../../src/model/sellers/resellers.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'

/** A plan that limits nothing in the tests. */
export const generous: Plan = {
  max_accounts: 1_000,
  disk_mb: 10_000_000,
  max_sites: 100_000,
  memory_mb: 100_000,
  cpu_percent: 6_400,
}

/** A reseller with a plan (unless it is to have none) and a token. */
export async function makeReseller(
  pool: Pool,
  name: string,
  plan: Plan | null = generous,
): Promise<{ id: string; token: string }> {
  const email = `${name}@example.com`
  await addOperator(pool, { name, role: 'reseller', email, password: 'a password of it' })
  if (plan !== null) await setPlan(pool, name, plan)
  return createToken(pool, { owner: name, name: 'billing' })
}
