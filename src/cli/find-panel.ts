import { existsSync, lstatSync } from 'node:fs'
import { type Config, ConfigError, environmentOf, readConfig } from '../config.ts'
import { PanelError } from '../errors.ts'
import type { LicenseSettings } from '../model/server/license.ts'
import { embeddedUrl, postgresPaths } from '../start/postgres-paths.ts'
import { checkStateDir, ensureStateDir } from '../start/state-dir.ts'
import { isRunning, settingsOfRunning } from './running-panel.ts'
import { installedSettings, readSettings } from '../install/settings-file.ts'

/** The panel that a command works on. */
export type Found = {
  config: Config
  databaseUrl: string
  license: LicenseSettings
  /** Installed, not one that `panel start` runs. */
  isInstalled: boolean
  /** The name of the program that starts the database, for when it is down. */
  starter: string
  /** The file of its settings; null where they come from the environment. */
  settingsFile: string | null
}

type Environment = Record<string, string | undefined>

/**
 * Finds the panel: the one of PANEL_STATE_DIR; else the installed one, with the settings of its
 * file and never those of the environment; else the one that `panel start` runs for this checkout.
 * The working folder never matters.
 *
 * @throws {PanelError} `forbidden`, if its state directory is not this user's alone to write
 */
export function findPanel(environment: Environment, file = installedSettings): Found {
  const settings = environment['PANEL_STATE_DIR'] ? undefined : readSettings(file)
  return settings === undefined ? findStarted(environment) : findInstalled(settings, file)
}

/** Returns the environment by which commands that a process of this panel starts find the panel. */
export function environmentOfCommands(
  stateDir: string,
  file = installedSettings,
): Record<string, string> {
  return isStateOf(stateDir, file) ? {} : { PANEL_STATE_DIR: stateDir }
}

function isStateOf(stateDir: string, file: string): boolean {
  try {
    const settings = readSettings(file)
    return settings !== undefined && readConfig(settings).stateDir === stateDir
  } catch (error) {
    // A process that cannot read the settings, or finds them wrong, was not started by them.
    if (error instanceof PanelError || error instanceof ConfigError) return false
    throw error
  }
}

/** Finds a panel that may not exist yet, and makes its state directory. */
export function findNewPanel(environment: Environment, file?: string): Found {
  const isInstalled = !environment['PANEL_STATE_DIR'] && existsSync(file ?? installedSettings)
  if (!isInstalled) ensureStateDir(readConfig(environment).stateDir)
  const found = findPanel(environment, file)
  // The mode of a folder that exists was decided when it was installed.
  if (!existsSync(found.config.stateDir)) ensureStateDir(found.config.stateDir)
  return found
}

// Takes the settings (address, database, host) that `panel start` was given; the caller's own
// environment wins.
function findStarted(given: Environment): Found {
  const { stateDir } = readConfig(given)
  checkIfThere(stateDir)
  const present = Object.entries(given).filter(([, value]) => value)
  const environment = {
    ...settingsOfRunning(stateDir),
    ...Object.fromEntries(present),
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

// With an external database there may be no state directory before the first start.
function checkIfThere(stateDir: string): void {
  if (existsSync(stateDir)) checkStateDir(stateDir)
}

function embeddedUrlOf(stateDir: string): string {
  if (!existsSync(stateDir)) {
    throw new PanelError('unavailable', `There is no panel in ${stateDir}; is panel start running?`)
  }
  const { shortDir } = postgresPaths(stateDir)
  // The folder is in /tmp, where another user could have put a server of their own.
  const folder = shortDir && lstatSync(shortDir, { throwIfNoEntry: false })
  if (folder && (folder.uid !== process.getuid?.() || (folder.mode & 0o077) !== 0)) {
    throw new PanelError('forbidden', `PostgreSQL's folder ${shortDir} is not ours alone`)
  }
  return embeddedUrl(stateDir)
}

// The development license is valid only while `panel start` runs, which its lock shows. This only
// decides what the command prints: the API checks the license at each request itself.
function hasDevelopmentLicense(config: Config, environment: Environment): boolean {
  const passed = environmentOf(config, environment)
  return isRunning(config.stateDir) && readConfig(passed).license.isDevelopment
}
