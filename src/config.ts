import { Resolver } from 'node:dns'
import { readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { hostname } from 'node:os'
import { z } from 'zod'
import { cidr } from './model/cidr.ts'
import { domain } from './model/grammar.ts'
import { vendorKey } from './model/license.ts'

// The only file that reads the environment (a test keeps this).

/** The checkout or release that this file belongs to. */
export const installationDir = resolve(import.meta.dirname, '..')

export const { version } = JSON.parse(
  readFileSync(resolve(installationDir, 'package.json'), 'utf8'),
) as { version: string }

/** A configuration that cannot work; the message names every bad setting, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const listen = z
  .string()
  .regex(
    /^(\[[0-9a-f:]+\]|[0-9a-z.-]+):[0-9]{1,5}$/i,
    'is not an address and port, as 127.0.0.1:8080',
  )
  .transform(text => {
    const colon = text.lastIndexOf(':')
    return {
      host: text.slice(0, colon).replace(/^\[|\]$/g, ''),
      port: Number(text.slice(colon + 1)),
    }
  })
  .refine(({ port }) => port <= 65_535, 'has a port above 65535')

const absolutePath = z
  .string()
  .refine(isAbsolute, 'is not an absolute path')
  .refine(path => !/\p{Cc}/u.test(path), 'has control characters')

// The kernel's limit for the name of a Unix socket (unix(7)).
const socketPath = absolutePath.refine(
  path => Buffer.byteLength(path) <= 107,
  'has more than 107 bytes',
)

const proxies = z.string().transform((text, context) => {
  const ranges = z.array(cidr).safeParse(text.split(/[\s,]+/))
  // A /0 range would believe every caller's own X-Forwarded-For.
  if (ranges.success && !ranges.data.some(range => range.endsWith('/0'))) return ranges.data
  context.addIssue({ code: 'custom', message: 'is not a list as 192.0.2.1, 2001:db8::/32' })
  return z.NEVER
})

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'is not an http or https address' })
  .transform(url => url.replace(/\/+$/, ''))

// Ranges that webhooks may reach although they are not public, or none at all.
const ranges = z.string().transform((text, context) => {
  const list = text === 'none' ? [] : text.split(',').map(range => range.trim())
  const parsed = z.array(cidr).safeParse(list)
  if (parsed.success) return parsed.data
  context.addIssue('is neither none nor a list of ranges, as 10.0.0.0/8,fd00::/8')
  return z.NEVER
})

/** What `panel start` lets webhooks reach by default: receivers on the same machine. */
/** Where `panel start` may send webhooks, besides the outside. */
export const loopback = '127.0.0.0/8,::1/128'

// ACME requires https (RFC 8555, section 6.1).
const directory = z.union([
  z.literal('none'),
  z.url({ protocol: /^https$/, error: 'is neither none nor an https address' }),
])

/** The default; whoever installs the panel agrees to its terms. */
const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

const listOf = (one: z.ZodType<string, string>) =>
  z
    .string()
    .transform(text => text.split(',').map(part => part.trim()))
    .pipe(z.array(one))

const addresses = listOf(
  z.union([z.ipv4(), z.ipv6()], 'is not a list of addresses, as 192.0.2.1,2001:db8::1'),
)

const servers = listOf(
  z
    .string()
    .refine(isNameServer, 'is not a list of name servers, as 192.0.2.53,[2001:db8::53]:5353'),
)

const shortestIdleMs = 10_000
const longestIdleMs = 86_400_000

// As php-fpm writes its own times: a number of seconds, or with another unit.
const idle = z
  .string()
  .regex(/^[0-9]+[smh]?$/, 'is not a time, as 30s, 10m or 1h')
  .transform(text => parseInt(text, 10) * (unitsMs[text.slice(-1)] ?? 1_000))
  .refine(ms => ms >= shortestIdleMs, 'is less than 10s')
  .refine(ms => ms <= longestIdleMs, 'is more than 24h')

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }

const Settings = z.strictObject({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'is not a postgresql:// address' })
    .optional(),
  PANEL_ACME_DIRECTORY: directory.optional(),
  PANEL_ADDRESSES: addresses.optional(),
  PANEL_BASE_URL: baseUrl.optional(),
  PANEL_HOOKS_DIR: absolutePath.optional(),
  PANEL_HOST: z.enum(['sandbox', 'linux'], 'is neither sandbox nor linux').default('sandbox'),
  PANEL_HOSTNAME: domain.optional(),
  PANEL_DEVELOPMENT: z.literal('yes', 'can only be yes').optional(),
  PANEL_KEY: absolutePath.optional(),
  PANEL_LICENSE: absolutePath.optional(),
  PANEL_LICENSE_KEY: z.base64('is not base64').optional(),
  PANEL_LISTEN: listen.default({ host: '127.0.0.1', port: 8080 }),
  PANEL_PHP_IDLE: idle.default(600_000),
  PANEL_RESOLVER: servers.optional(),
  PANEL_SOCKET: socketPath.optional(),
  PANEL_TRASH_HOURS: z.coerce
    .number('is not a number of hours')
    .int('is not a whole number of hours')
    .min(0, 'is less than 0')
    .max(8_760, 'is more than a year')
    .default(72),
  PANEL_STATE_DIR: absolutePath.default(resolve(installationDir, '.panel')),
  PANEL_TRUSTED_PROXIES: proxies.default([]),
  PANEL_WEBHOOK_ALLOW: ranges.default([]),
})

export type Config = ReturnType<typeof readConfig>

/**
 * Parses the settings of the process once. An empty value counts as unset.
 *
 * @throws {ConfigError} naming every bad value and every unknown `PANEL_*` name
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const given = Object.entries(environment).filter(
    ([name, value]) => value && isSetting(name) && !ofHookScripts.includes(name),
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
    /** A Unix socket instead: only the panel's own nginx can reach it, and is believed. */
    socket: settings.PANEL_SOCKET ?? null,
    /** Proxies whose `X-Forwarded-For` is believed as well. */
    trustedProxies: settings.PANEL_TRUSTED_PROXIES,
    stateDir,
    /** Holds the hook scripts, in a folder for each event. */
    hooksDir: settings.PANEL_HOOKS_DIR ?? hooksDir(stateDir),
    host: settings.PANEL_HOST,
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
    /** Ranges that webhooks may reach although they are not public. */
    webhookAllow: settings.PANEL_WEBHOOK_ALLOW,
    /** How long an account's PHP runs on without a request. */
    phpIdleMs: settings.PANEL_PHP_IDLE,
    /** How many hours the home of a terminated account is kept. */
    trashHours: settings.PANEL_TRASH_HOURS,
    certificates: {
      /** The address of the ACME directory; null where websites get no certificates. */
      directory: directoryOf(settings.PANEL_ACME_DIRECTORY, settings.PANEL_HOST),
      /** The server's addresses as the world sees them; null takes those of its interfaces. */
      addresses: settings.PANEL_ADDRESSES ?? null,
      /** Name servers to ask; null asks the machine's own. */
      resolver: settings.PANEL_RESOLVER ?? null,
    },
  }
}

/**
 * The settings of a process that needs a database and runs none.
 *
 * @throws {ConfigError} as `readConfig`, and where DATABASE_URL is missing
 */
export function readProcessConfig(): Config & { databaseUrl: string } {
  const config = readConfig()
  if (config.databaseUrl === null) throw new ConfigError('DATABASE_URL is required')
  return { ...config, databaseUrl: config.databaseUrl }
}

/**
 * Within which time the supervisor of this process has to hear of it, in systemd's own variable; 0
 * where there is none.
 */
export const watchdogMs = (): number => Number(process.env['WATCHDOG_USEC'] ?? 0) / 1_000

/** Whether systemd waits for what this process has to tell (sd_notify(3)). */
export const isUnderSystemd = Boolean(process.env['NOTIFY_SOCKET'])

/** The number of the socket that systemd has opened for this process (sd_listen_fds(3)). */
export const inheritedSocket = (): number | undefined =>
  Number(process.env['LISTEN_PID']) === process.pid && process.env['LISTEN_FDS'] === '1'
    ? firstInherited
    : undefined

const firstInherited = 3

function isNameServer(text: string): boolean {
  try {
    new Resolver().setServers([text])
    return true
  } catch {
    return false
  }
}

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
 * The environment of a child process of `panel start`: the same settings, with what the parent has
 * decided (database, port) spelled out, and nothing else of its own environment.
 */
export function environmentOf(
  config: Config,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) =>
      /^(PANEL_.*|PATH|LANG|TZ|NODE_EXTRA_CA_CERTS)$/.test(name) && !ofHookScripts.includes(name),
  )
  return {
    ...Object.fromEntries(passed),
    ...(config.databaseUrl === null ? {} : { DATABASE_URL: config.databaseUrl }),
    // Compiled code is kept between starts, which halves their time.
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

// Variables of hook scripts, which may call `panel`; they are no settings.
const ofHookScripts = ['PANEL_EVENT', 'PANEL_EVENT_ID']

// Root runs only what root has installed; any other user's panel has a folder of its own.
const hooksDir = (stateDir: string): string =>
  process.getuid?.() === 0 ? '/etc/panel/hooks' : join(stateDir, 'hooks')

/** Whether only this machine can reach what listens there. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.[0-9.]+$/.test(host)

// Host and port as in a URL (RFC 3986, section 3.2).
const authority = ({ host, port }: z.infer<typeof listen>): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
