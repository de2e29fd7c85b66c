import { z } from 'zod'
import { name } from '../events/event-fields.ts'
import { byThePanel } from '../operations/operation-kind.ts'
import { eventKind, type ResourceKind } from '../operations/resource-kind.ts'

/** Certificates of websites, which the panel orders automatically. */
export const certificates = {
  tables: [],
  operations: {
    'certificate/request': { lane: 'account', params: [], ...byThePanel },
    'certificate/install': { lane: 'account', params: [], ...byThePanel },
  },
  part: { name: 'certificates', isSuspended: false },
  events: {
    'ssl.issued': eventKind(
      'a certificate is served, also a renewed one',
      z.strictObject({ username: name, domain: name, expires_at: z.iso.datetime(), issuer: name }),
      {
        username: 'alice',
        domain: 'alice.example',
        expires_at: '2030-01-31T12:00:00Z',
        issuer: "Let's Encrypt",
      },
    ),
  },
} as const satisfies ResourceKind
