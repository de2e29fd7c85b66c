import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { countConcerns, listConcerns } from '../model/server/concerns.ts'
import { readMeasured } from '../model/server/metrics.ts'
import { type Answered, instrumentsOf } from './instruments.ts'
import type { OpenRoute } from './server.ts'

export type Metrics = { route: OpenRoute; note: (answered: Answered) => void }

/**
 * Serves `/metrics` to clients with this token, in Prometheus' text format. This process counts its
 * own answers; everything else is read from the rows for each request.
 */
export async function openMetrics(pool: Pool, token: string): Promise<Metrics> {
  // Imported only here: a panel without monitoring does not load it.
  const { note, set, registry } = instrumentsOf(await import('@prometheus-io/client'))
  const desired = digest(token)
  return {
    note,
    route: {
      path: '/metrics',
      async handler({ message }) {
        if (!timingSafeEqual(digest(tokenOf(message)), desired)) {
          throw new PanelError('unauthenticated', 'The bearer token must be PANEL_METRICS_TOKEN')
        }
        const [measured, concerns] = await Promise.all([readMeasured(pool), listConcerns(pool)])
        set(measured, countConcerns(concerns))
        const body = Buffer.from(await registry.metrics())
        return { status: 200, headers: { 'content-type': registry.contentType }, body }
      },
    },
  }
}

const tokenOf = ({ headers }: IncomingMessage): string =>
  /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? ''

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
