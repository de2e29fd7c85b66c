import { mkdirSync } from 'node:fs'
import type { Test } from 'tap'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { openPanel, type Panel } from '../support/panel.ts'
import { startProcess, type Child } from '../support/processes.ts'
import { courierSettings, startAuthority, type Authority } from './authority.ts'
import { startServices } from './machine.ts'

export type CertificatePanel = {
  panel: Panel
  authority: Authority
  /** The environment of the panel's processes. */
  environment: Record<string, string>
  /** Starts one of them. */
  start: (name: 'worker' | 'courier') => Promise<Child>
  /** Their logs. */
  output: () => string
}

/** API and database of the test's own, a real nginx and a real authority. */
export async function openCertificatePanel(t: Test): Promise<CertificatePanel> {
  startServices('nginx')
  const authority = await startAuthority(t)
  const panel = await openPanel(t, { hasWorker: false })
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  mkdirSync('/var/lib/panel-state')
  await ensureServerKey('/var/lib/panel-state/key')
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: '/var/lib/panel-state',
    ...courierSettings,
  }
  let text = ''
  const onOutput = (output: string) => (text += output)
  return {
    panel,
    authority,
    environment,
    start: name =>
      startProcess(t, `bin/panel-${name}.ts`, [], { ready: / ready/, environment, onOutput }),
    output: () => text,
  }
}
