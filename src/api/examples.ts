import type { z } from 'zod'
import type { NewAccount } from '../model/accounts/account-writes.ts'
import type { Account } from '../model/accounts/accounts.ts'
import { examples } from '../model/events/event-examples.ts'
import type { EventPage, Redelivered } from '../model/events/event-feed.ts'
import type { OwnToken } from '../model/signing-in/own-token.ts'
import { exampleFields, exampleLimits } from '../model/sellers/package-limits.ts'
import type { Package, PackageFields } from '../model/sellers/packages.ts'
import type { AccountJob, RequestJob } from '../model/jobs/request-jobs.ts'
import type { SignOnLink } from '../model/signing-in/sign-ons.ts'
import type { Usage } from '../model/accounts/usage.ts'

// The examples in the description; a test parses each with its schema.

export const newAccount: z.input<typeof NewAccount> = {
  username: 'alice',
  password: 'correct horse battery',
  email: 'alice@example.com',
  package: 'starter',
  domain: 'alice.example',
  reference: 'order-1041',
}

export const account: Account = {
  username: 'alice',
  email: 'alice@example.com',
  package: 'starter',
  reference: 'order-1041',
  seller: null,
  state: 'active',
  domain: 'alice.example',
  sites: [{ domain: 'alice.example', ssl: 'none' }],
  suspend_reason: null,
  suspended_by: null,
  warnings: [],
  created_at: '2026-11-21T10:00:00.000Z',
  suspended_at: null,
}

export const suspended: Account = {
  ...account,
  state: 'suspended',
  suspend_reason: 'Invoice 1042 is overdue',
  suspended_by: 'administrator',
  suspended_at: '2026-12-01T06:00:00.000Z',
}

export const packageFields: PackageFields = exampleFields

export const starter: Package = {
  name: 'starter',
  ...exampleLimits,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
}

export const usage: Usage = {
  username: 'alice',
  disk_used_mb: 312,
  database_used_mb: 24,
  disk_limit_mb: 2048,
  bandwidth_used_mb: 1530,
  period: '2026-11',
  measured_at: '2026-11-21T10:05:00.000Z',
}

export const link: z.infer<typeof SignOnLink> = {
  url: 'https://panel.example:8443/sso/kY3vQ0mWv5b1sQ9mJ2nq7x4Zt8eRcU6oLhPdGaTfBiE',
  expires_at: '2026-11-21T10:06:00.000Z',
}

export const queued: RequestJob = {
  id: '6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11',
  operation: 'account/suspend',
  state: 'queued',
  status: null,
  result: null,
  error: null,
  reason: null,
  field: null,
  created_at: '2026-12-01T06:00:00.000Z',
  finished_at: null,
}

export const jobOfAccount: z.infer<typeof AccountJob> = {
  id: queued.id,
  operation: queued.operation,
  state: 'succeeded',
  error: null,
  created_at: queued.created_at,
  finished_at: '2026-12-01T06:00:00.080Z',
}

export const succeeded: RequestJob = {
  ...queued,
  state: 'succeeded',
  status: 200,
  result: suspended,
  finished_at: '2026-12-01T06:00:00.080Z',
}

export const eventPage: z.input<typeof EventPage> = {
  events: [
    {
      event: 'account.suspended',
      time: 1_796_104_800,
      server: 'panel.example.com',
      data: examples['account.suspended'],
      sequence: 4712,
    },
  ],
  next: 4712,
  has_more: false,
  complete: true,
}

export const redelivered: z.infer<typeof Redelivered> = {
  deliveries: 1,
  next: 4712,
  has_more: false,
  complete: true,
}

export const ownToken: OwnToken = {
  owner: 'bigshop',
  role: 'reseller',
  seller: 'bigshop',
  permission: 'Provisioning only',
  expires_at: null,
  plan: {
    max_accounts: { limit: 50, used: 12, left: 38 },
    disk_mb: { limit: 102_400, used: 24_576, left: 77_824 },
    max_sites: { limit: 100, used: 36, left: 64 },
    memory_mb: { limit: 1_024, used: 0, left: 1_024 },
    cpu_percent: { limit: 200, used: 0, left: 200 },
  },
  release: '0.1.0',
  server: 'panel.example.com',
}
