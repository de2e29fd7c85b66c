import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loopback, readConfig, settingNames } from '../config.ts'

// The panel that `panel start` runs on a state directory. Its lock holds a process id, which may
// belong to another process once the panel has ended.

export const isRunning = (stateDir: string): boolean => holderOf(stateDir) !== undefined

/**
 * Returns the settings that the running panel was started with, and those that `panel start` adds;
 * none if it does not run.
 */
export function settingsOfRunning(stateDir: string): Record<string, string> {
  const holder = holderOf(stateDir)
  if (holder === undefined) return {}
  const settings = settingsOf(holder)
  try {
    const { PANEL_STATE_DIR = '' } = settings
    if (readConfig({ PANEL_STATE_DIR }).stateDir !== stateDir) return {}
    return { ...settings, PANEL_WEBHOOK_ALLOW: settings['PANEL_WEBHOOK_ALLOW'] || loopback }
  } catch {
    // Invalid settings: not a running panel.
    return {}
  }
}

function holderOf(stateDir: string): number | undefined {
  try {
    const holder = Number(readFileSync(join(stateDir, 'lock'), 'utf8'))
    return holder > 0 && process.kill(holder, 0) ? holder : undefined
  } catch {
    // No lock, or its holder is no process of this user.
    return undefined
  }
}

function settingsOf(holder: number): Record<string, string> {
  let text: string
  try {
    text = readFileSync(`/proc/${holder}/environ`, 'utf8')
  } catch {
    // The process has ended meanwhile.
    return {}
  }
  const pairs = text.split('\0').map(line => {
    const [name = '', ...value] = line.split('=')
    return [name, value.join('=')] as const
  })
  return Object.fromEntries(pairs.filter(([name]) => settingNames.includes(name)))
}
