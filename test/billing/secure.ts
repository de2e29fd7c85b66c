import type { Test } from 'tap'
import { makeAuthority, makeKeys, toPem } from '../support/authority.ts'
import { openFaulty } from './faulty.ts'

/** A panel on https at localhost, with a certificate that the system does not trust. */
export async function openSecure(
  t: Test,
  target: string,
): Promise<{ port: number; authority: string }> {
  const [authority, keys] = [await makeAuthority(), await makeKeys()]
  const cert = await authority.sign(keys.publicKey, { names: ['localhost'] })
  const { port } = await openFaulty(t, target, { key: await toPem(keys), cert })
  return { port, authority: authority.certificate }
}
