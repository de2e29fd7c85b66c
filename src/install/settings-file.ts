import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { PanelError } from '../errors.ts'

/** The settings of the installed panel. */
export const installedSettings = '/etc/panel/panel.env'

/**
 * Returns the settings of an installed panel, in the format of systemd's EnvironmentFile
 * (systemd.exec(5)), one setting per line; undefined if no panel is installed.
 *
 * @throws {PanelError} `forbidden`, if this user may not read it or others may write it
 *
 * @throws {ConfigError} naming the line or the unknown setting
 */
export function readSettings(path: string): Record<string, string> | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const words = `A panel is installed, but ${path} cannot be read (${code}): run the command as \
root, or set PANEL_STATE_DIR to use another panel`
    throw new PanelError('forbidden', words, { cause: error })
  }
  try {
    const { uid, mode } = fstatSync(file)
    if ((uid !== 0 && uid !== process.getuid?.()) || (mode & 0o022) !== 0) {
      throw new PanelError(
        'forbidden',
        `${path} is writable by users other than root: chown root, chmod go-w`,
      )
    }
    return parseSettings(readFileSync(file, 'utf8'), path)
  } finally {
    closeSync(file)
  }
}

/** Parses such a text; errors name `path`. */
export function parseSettings(text: string, path: string): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*([#;].*)?$/.test(line)) continue
    const [, name, value = ''] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (name === undefined) throw new ConfigError(`${path}, line ${index + 1}: is not NAME=value`)
    if (!/^PANEL_|^DATABASE_URL$/.test(name)) {
      throw new ConfigError(`${path}, line ${index + 1}: unknown setting ${name}`)
    }
    settings[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2')
  }
  return settings
}
