import type { Test } from 'tap'
import { openPanel } from '../../panel.ts'
import { stage } from '../../../screenshots/staging.ts'
import { freePort, openBrowser } from '../chromium.ts'
import { openSession } from '../signed-in.ts'

/** A panel with some life in it, an administrator's session, and a browser. */
export async function openStage(t: Test) {
  const panel = await openPanel(t, { origin: { host: '127.0.0.1', port: await freePort() } })
  await stage(panel)
  return { panel, session: await openSession(panel, 'admin'), browser: await openBrowser(t) }
}
