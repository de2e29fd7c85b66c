import { mkdirSync, writeFileSync } from 'node:fs'
import type { Test } from 'tap'
import { apply } from '../../../src/host/apply.ts'
import type { Machine } from '../../../src/host/contract.ts'
import { listDrift, takeSnapshot } from '../../../src/host/drift.ts'
import { inShort } from '../../../src/host/tools/file-drift.ts'
import type { HostAccount } from '../../../src/model/accounts/host-account.ts'
import { alice, sandbox, straight, type Sandbox } from './sandbox.ts'

// A website that leaves an account which stays.

export const shop = { id: '9', domain: 'shop.example' }
export const before: HostAccount = { ...alice, sites: [...alice.sites, shop] }
export const after: HostAccount = { ...alice, deleting: [shop] }
export const states = ['active', 'suspended'] as const

export const certificate = '/var/lib/panel/certificates/9'
export const folder = '/home/alice/sites/shop.example'
export const aside = '/home/alice/files/removed-shop.example'
export const page = 'public/index.html'

/** A sandbox whose account has two websites, the second with a certificate. */
export async function twoSites(t: Test, desired: (typeof states)[number]): Promise<Sandbox> {
  const box = await sandbox(t)
  await apply(box.machine, before, straight)
  mkdirSync(box.machine.path(certificate))
  writeFileSync(box.machine.path(`${certificate}/served.pem`), 'none')
  await apply(box.machine, { ...before, desired }, straight)
  return box
}

export const driftOf = async (machine: Machine, account: HostAccount): Promise<string[]> =>
  listDrift((await takeSnapshot(machine)).driftOf(account)).map(inShort)
