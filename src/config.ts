import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hostname } from 'node:os'
import { z } from 'zod'
import { domain } from './model/grammar/grammar.ts'
import { vendorKey } from './model/server/license.ts'
import * as values from './setting-values.ts'

// The only file that reads the environment (checked by a test).

/** The checkout or release that this file belongs to. */
export const installationDir = resolve(import.meta.dirname, '..')

export const { version } = JSON.parse(
  readFileSync(resolve(installationDir, 'package.json'), 'utf8'),
) as { version: string }

/** A configuration that cannot work; the message names every bad setting, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The private ranges to which `panel start` may send webhooks. */
export const loopback = '127.0.0.0/8,::1/128'

/** The default; by installing the panel, the administrator agrees to its terms. */
const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

const Settings = z.strictObject({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// address' })
    .optional(),
  PANEL_ACME_DIRECTORY: values.directory.optional(),
  PANEL_ADDRESSES: values.addresses.optional(),
  PANEL_BASE_URL: values.baseUrl.optional(),
  PANEL_HOOKS_DIR: values.absolutePath.optional(),
  PANEL_HOST: z.enum(['sandbox', 'linux'], 'must be sandbox or linux').default('sandbox'),
  PANEL_HOSTNAME: domain.optional(),
  PANEL_DEVELOPMENT: z.literal('yes', 'must be yes or unset').optional(),
  PANEL_KEY: values.absolutePath.optional(),
  PANEL_LICENSE: values.absolutePath.optional(),
  PANEL_LICENSE_KEY: z.base64('must be base64').optional(),
  PANEL_LISTEN: values.listen.default({ host: '127.0.0.1', port: 8080 }),
  PANEL_METRICS_TOKEN: values.token.optional(),
  PANEL_PHP_IDLE: values.idle.default(600_000),
  PANEL_RESOLVER: values.servers.optional(),
  PANEL_SOCKET: values.socketPath.optional(),
  PANEL_TRASH_HOURS: z.coerce
    .number('must be a number of hours')
    .int('must be a whole number of hours')
    .min(0, 'must not be less than 0')
    .max(8_760, 'must not be more than a year')
    .default(72),
  PANEL_STATE_DIR: values.absolutePath.default(resolve(installationDir, '.panel')),
  PANEL_TRUSTED_PROXIES: values.proxies.default([]),
  PANEL_UPDATE_URL: values.updateUrl.optional(),
  PANEL_WEBHOOK_ALLOW: values.ranges.default([]),
  PANEL_WEBHOOK_CA: values.absolutePath.optional(),
})

export type Config = ReturnType<typeof readConfig>

/**
 * Parses the settings of the process once. An empty value counts as unset.
 *
 * @throws {ConfigError} naming every bad value and every unknown `PANEL_*` name
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const given = Object.entries(environment).filter(
    ([name, value]) => value && isSetting(name) && !notSettings.includes(name),
  )
  const parsed = Settings.safeParse(Object.fromEntries(given))
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(sentence).join('; '))
  const settings = parsed.data
  const stateDir = settings.PANEL_STATE_DIR
  const baseUrl = settings.PANEL_BASE_URL ?? `http://${authority(settings.PANEL_LISTEN)}`
  const serverName = settings.PANEL_HOSTNAME ?? hostname()
  const isOnLoopback = settings.PANEL_SOCKET === undefined && isLoopback(settings.PANEL_LISTEN.host)
  return {
    /** Null means the embedded PostgreSQL that `panel start` runs. */
    databaseUrl: settings.DATABASE_URL ?? null,
    baseUrl,
    listen: settings.PANEL_LISTEN,
    /** A Unix socket instead: only the panel's own nginx can reach it, and is trusted. */
    socket: settings.PANEL_SOCKET ?? null,
    /** Further proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: settings.PANEL_TRUSTED_PROXIES,
    stateDir,
    /** Holds the hook scripts, in a folder for each event. */
    hooksDir: settings.PANEL_HOOKS_DIR ?? hooksDir(stateDir),
    host: settings.PANEL_HOST,
    /** The root of that machine's files for this process. */
    machineRoot: settings.PANEL_HOST === 'linux' ? '/' : join(stateDir, 'host'),
    license: {
      file: settings.PANEL_LICENSE ?? resolve(stateDir, 'license'),
      key: settings.PANEL_LICENSE_KEY ?? vendorKey,
      /** Whether the development license is accepted: under `panel start`, only on loopback. */
      isDevelopment: settings.PANEL_DEVELOPMENT === 'yes' && isOnLoopback,
    },
    /** The server's name in events. */
    serverName,
    /** Host names of the panel itself. */
    ownNames: [serverName.toLowerCase(), new URL(baseUrl).hostname],
    /** The file of the server's key. */
    keyFile: settings.PANEL_KEY ?? resolve(stateDir, 'key'),
    /** The address where releases are published; null if unset. */
    updateUrl: settings.PANEL_UPDATE_URL ?? null,
    /** The token required for /metrics; null if there is none. */
    metricsToken: settings.PANEL_METRICS_TOKEN ?? null,
    /** Ranges that webhooks may reach although they are not public. */
    webhookAllow: settings.PANEL_WEBHOOK_ALLOW,
    /** A PEM file of further certificate authorities that webhook receivers may use. */
    webhookCa: settings.PANEL_WEBHOOK_CA ?? null,
    /** Milliseconds after which an account's idle PHP ends. */
    phpIdleMs: settings.PANEL_PHP_IDLE,
    /** Hours for which the home of a terminated account is kept. */
    trashHours: settings.PANEL_TRASH_HOURS,
    certificates: {
      /** The address of the ACME directory; null if websites get no certificates. */
      directory: directoryOf(settings.PANEL_ACME_DIRECTORY, settings.PANEL_HOST),
      /** The server's public addresses; null takes those of its interfaces. */
      addresses: settings.PANEL_ADDRESSES ?? null,
      /** Name servers to ask; null asks the machine's own. */
      resolver: settings.PANEL_RESOLVER ?? null,
    },
  }
}

/**
 * Returns the settings of a process that needs a database and does not run one.
 *
 * @throws {ConfigError} as `readConfig`, and if DATABASE_URL is missing
 */
export function readProcessConfig(): Config & { databaseUrl: string } {
  const config = readConfig()
  if (config.databaseUrl === null) throw new ConfigError('DATABASE_URL is required')
  return { ...config, databaseUrl: config.databaseUrl }
}

/**
 * Returns the time within which the supervisor must hear from this process, from systemd's own
 * variable; 0 if there is none.
 */
export const watchdogMs = (): number => Number(process.env['WATCHDOG_USEC'] ?? 0) / 1_000

/** Whether systemd waits for notifications of this process (sd_notify(3)). */
export const isUnderSystemd = Boolean(process.env['NOTIFY_SOCKET'])

/** Returns the descriptor of the socket that systemd opened for this process (sd_listen_fds(3)). */
export const inheritedSocket = (): number | undefined =>
  Number(process.env['LISTEN_PID']) === process.pid && process.env['LISTEN_FDS'] === '1'
    ? firstInherited
    : undefined

const firstInherited = 3

// A sandbox serves no websites, so no authority could validate them.
function directoryOf(given: string | undefined, host: 'sandbox' | 'linux'): string | null {
  if (given === 'none') return null
  return given ?? (host === 'linux' ? letsEncrypt : null)
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown setting ${issue.keys.join(', ')}`
  return `${issue.path.join('.')} ${issue.message}`
}

/**
 * Returns the environment of a child process of `panel start`: the same settings, with the parent's
 * decisions (database, port) written out, and nothing else of the parent's environment.
 */
export function environmentOf(
  config: Config,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) =>
      /^(PANEL_.*|PATH|LANG|TZ|NODE_EXTRA_CA_CERTS)$/.test(name) && !notSettings.includes(name),
  )
  return {
    ...Object.fromEntries(passed),
    ...(config.databaseUrl === null ? {} : { DATABASE_URL: config.databaseUrl }),
    // Keeping compiled code between starts halves their time.
    NODE_COMPILE_CACHE: environment['NODE_COMPILE_CACHE'] || join(config.stateDir, 'cache'),
    PANEL_BASE_URL: config.baseUrl,
    PANEL_DEVELOPMENT: 'yes',
    PANEL_HOST: config.host,
    PANEL_LISTEN: authority(config.listen),
    // `panel start` listens on an address, which a browser can reach.
    PANEL_SOCKET: '',
    PANEL_STATE_DIR: config.stateDir,
    PANEL_WEBHOOK_ALLOW: environment['PANEL_WEBHOOK_ALLOW'] || loopback,
  }
}

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(Settings.shape)

const isSetting = (name: string): boolean => name.startsWith('PANEL_') || name === 'DATABASE_URL'

// Variables that are not settings: those of hook scripts, which may call `panel`, and those that
// the reference has callers and receivers export. No process of the panel gets them.
const notSettings = ['PANEL_EVENT', 'PANEL_EVENT_ID', 'PANEL_TOKEN', 'PANEL_WEBHOOK_SECRET']

// Root runs only scripts that root installed; another user's panel has its own folder.
const hooksDir = (stateDir: string): string =>
  process.getuid?.() === 0 ? '/etc/panel/hooks' : join(stateDir, 'hooks')

/** Returns whether only this machine can reach a listening address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.[0-9.]+$/.test(host)

// Formats host and port as in a URL (RFC 3986, section 3.2).
const authority = ({ host, port }: z.infer<typeof values.listen>): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
