import { existsSync, lstatSync } from 'node:fs'
import { type Config, ConfigError, environmentOf, readConfig } from '../config.ts'
import { PanelError } from '../errors.ts'
import type { LicenseSettings } from '../model/license.ts'
import { embeddedUrl, postgresPaths } from '../start/postgres-paths.ts'
import { checkStateDir, ensureStateDir } from '../start/state-dir.ts'
import { isRunning, settingsOfRunning } from './running-panel.ts'
import { readSettings } from './settings-file.ts'

/** The panel that a command is about. */
export type Found = {
  config: Config
  databaseUrl: string
  license: LicenseSettings
  /** Whether it is the installed one, and not one that `panel start` runs. */
  isInstalled: boolean
  /** What should be running where the database is not. */
  starter: string
  /** Where its settings are written down; null where they are those of whoever calls. */
  settingsFile: string | null
}

/** The settings of the installed panel. */
export const installedSettings = '/etc/panel/panel.env'

type Environment = Record<string, string | undefined>

/**
 * Finds the panel: the one that PANEL_STATE_DIR means; else the installed one, whose settings are
 * those of its file and not those of whoever calls; else the one that `panel start` runs for this
 * checkout. The working folder never matters.
 *
 * @throws {PanelError} `forbidden`, if its state directory is not this user's alone to write
 */
export function findPanel(environment: Environment, file = installedSettings): Found {
  const settings = environment['PANEL_STATE_DIR'] ? undefined : readSettings(file)
  return settings === undefined ? findStarted(environment) : findInstalled(settings, file)
}

/**
 * The same for a panel that is to be made, and its state directory.
 */
export function findNewPanel(environment: Environment, file?: string): Found {
  const isInstalled = !environment['PANEL_STATE_DIR'] && existsSync(file ?? installedSettings)
  if (!isInstalled) ensureStateDir(readConfig(environment).stateDir)
  const found = findPanel(environment, file)
  // Who else may look into one that is there, whoever installed it has decided.
  if (!existsSync(found.config.stateDir)) ensureStateDir(found.config.stateDir)
  return found
}

// What `panel start` runs in this state directory, by what it was told there: its address, its
// database and its host. Whoever calls may say otherwise.
function findStarted(given: Environment): Found {
  const { stateDir } = readConfig(given)
  checkIfThere(stateDir)
  const said = Object.entries(given).filter(([, value]) => value)
  const environment = {
    ...settingsOfRunning(stateDir),
    ...Object.fromEntries(said),
    PANEL_STATE_DIR: stateDir,
  }
  const config = readConfig(environment)
  return {
    config,
    databaseUrl: config.databaseUrl ?? embeddedUrlOf(config.stateDir),
    license: { ...config.license, isDevelopment: hasDevelopmentLicense(config, environment) },
    isInstalled: false,
    starter: 'panel start',
    settingsFile: null,
  }
}

function findInstalled(settings: Environment, file: string): Found {
  const config = inFile(file, () => readConfig(settings))
  const { databaseUrl } = config
  if (databaseUrl === null) throw new ConfigError(`${file}: DATABASE_URL is required`)
  checkIfThere(config.stateDir)
  return {
    config,
    databaseUrl,
    license: { ...config.license, isDevelopment: false },
    isInstalled: true,
    starter: 'PostgreSQL',
    settingsFile: file,
  }
}

function inFile(file: string, read: () => Config): Config {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${file}: ${error.message}`)
    throw error
  }
}

// A panel whose database is elsewhere needs none before its first start.
function checkIfThere(stateDir: string): void {
  if (existsSync(stateDir)) checkStateDir(stateDir)
}

function embeddedUrlOf(stateDir: string): string {
  if (!existsSync(stateDir)) {
    throw new PanelError('unavailable', `There is no panel in ${stateDir}; is panel start running?`)
  }
  const { shortDir } = postgresPaths(stateDir)
  // It lies where anybody could have put one of that name, with a server of theirs in it.
  const folder = shortDir && lstatSync(shortDir, { throwIfNoEntry: false })
  if (folder && (folder.uid !== process.getuid?.() || (folder.mode & 0o077) !== 0)) {
    throw new PanelError('forbidden', `PostgreSQL's folder ${shortDir} is not ours alone`)
  }
  return embeddedUrl(stateDir)
}

// The development license counts under `panel start`, whose lock names it for as long as it runs,
// with the settings that its processes would get from here. The processes judge every request for
// themselves; this decides only what the command says.
function hasDevelopmentLicense(config: Config, environment: Environment): boolean {
  const passed = environmentOf(config, environment)
  return isRunning(config.stateDir) && readConfig(passed).license.isDevelopment
}
