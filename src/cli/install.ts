import { existsSync, readFileSync } from 'node:fs'
import { hostname as ownHostname } from 'node:os'
import { Option } from 'clipanion'
import { z } from 'zod'
import { connect, connection } from '../db.ts'
import { PanelError } from '../errors.ts'
import { machineOf } from '../host/machine.ts'
import { CommandError, run } from '../host/tools/run.ts'
import { chooseAdministrator } from '../install/administrator.ts'
import { whyNot, whyNotPort } from '../install/preflight.ts'
import { install, installSteps } from '../install/install.ts'
import { whyNoDatabase } from '../install/cluster.ts'
import { claimInstallation } from '../install/install-lock.ts'
import { hasDatabases, whyNoMariaDb } from '../install/mariadb.ts'
import { whyNoMail } from '../install/mail.ts'
import type { Plan } from '../install/plan.ts'
import { reportSteps } from '../install/progress.ts'
import { ownRelease } from '../install/release.ts'
import { isLicensed, takeFirstPassword } from '../install/schema.ts'
import { isValid, toLicense, whyNoSelfLicense } from '../install/self-license.ts'
import { licenseFile, portalPort } from '../install/settings.ts'
import { installedSettings, readSettings } from '../install/settings-file.ts'
import { isElsewhere } from '../install/units.ts'
import { adminerPort } from '../model/server/host.ts'
import * as grammar from '../model/grammar/grammar.ts'
import { maySignOwn, parseKey, parseLicense, vendorKey } from '../model/server/license.ts'
import { NewOperator } from '../model/sellers/operators.ts'
import type { Observe } from '../model/server/host.ts'
import { option } from './completion/completers.ts'
import { diagnose } from './doctor/doctor.ts'
import { inWords, problemsOf, summary } from './doctor/report.ts'
import { type ExitCode, PanelCommand } from './panel-command.ts'
import { newPassword } from './password.ts'
import { turnOnMail } from './mail/turn-on.ts'
import { toNext } from './next-steps.ts'
import { showProgress } from './step-progress.ts'
import { askUntil, confirm, isTerminal, yesOrNo } from './terminal-questions.ts'

const Words = z.object({
  hostname: grammar.domain.optional(),
  email: NewOperator.shape.email.optional(),
  admin: NewOperator.shape.name.optional(),
  mail: grammar.domain.optional(),
})

export class InstallCommand extends PanelCommand {
  static override summary = 'install this release on a fresh Debian 12 or 13'
  static override details = `
    Checks the requirements first and changes nothing if one is not met. Then installs the
    distribution's packages, the panel below /opt/panel, its database, users and units, and
    nginx in front of it on port 8443. On a terminal it prompts for whatever the options do not
    set.

    If it is interrupted, run it again. On an installed panel it changes only the settings given
    as options. To use a database on another machine, set DATABASE_URL in the environment, with
    sslmode=verify-full.

    Without --password-stdin or a terminal, the first password is generated and shown once.
  `
  static override examples = {
    'Install interactively': '$0',
    'Show what it would do': '$0 --dry-run',
    'Install it from a script':
      '$0 --yes --hostname panel.example.com --email admin@example.com --password-stdin',
  }

  hostname = Option.String('--hostname', { description: "the server's full name" })
  email = Option.String('--email', { description: "the administrator's mail address" })
  admin = Option.String('--admin', { description: 'the first administrator; admin by default' })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: "read the administrator's password from standard input",
  })
  databases = Option.Boolean('--databases', false, {
    description: "let accounts have databases, in this server's MariaDB; permanent",
  })
  mail = Option.String('--mail', {
    description: 'let accounts have mailboxes, by a mail server of this name',
  })
  license = option('--license', 'files', 'a license file')
  selfLicense = Option.Boolean('--self-license', false, {
    description: 'sign your own license with a key generated here, or renew it',
  })
  dryRun = Option.Boolean('--dry-run', false, { description: 'show what would change' })
  yes = Option.Boolean('--yes', false, { description: 'do not prompt' })

  async perform(): Promise<ExitCode> {
    const words = this.parse(Words)
    const release = ownRelease()
    const machine = machineOf({ host: 'linux', stateDir: '/var/lib/panel' })
    const reasons = [
      ...whyNot(machine, release),
      ...(this.databases ? await whyNoDatabases() : []),
      ...(words.mail === undefined ? [] : whyNoMail()),
    ]
    for (const reason of reasons) this.report(reason)
    if (reasons.length > 0) {
      this.report('nothing was changed')
      return 1
    }
    const settings = readSettings(installedSettings) ?? {}
    const databaseUrl = databaseFrom(this.context.env['DATABASE_URL'], settings)
    const foreign = databaseUrl === undefined ? await whyNoDatabase() : undefined
    if (foreign !== undefined) throw new PanelError('invalid', foreign)
    const hostname = words.hostname ?? (await this.askHostname(settings['PANEL_HOSTNAME']))
    const license = this.license === undefined ? undefined : readLicense(this.license, settings)
    if (databaseUrl !== undefined && isElsewhere(databaseUrl) && !this.dryRun) {
      await requireAnswer(databaseUrl)
    }
    const administrator = await this.chooseAdministrator(words, hostname, settings)
    const selfLicense = await this.chooseSelfLicense(settings)
    const databases = hasDatabases() || this.databases || (await this.askDatabases())
    const plan = {
      machine,
      release,
      hostname,
      databaseUrl,
      databases,
      administrator,
      license,
      selfLicense,
    }
    if (this.dryRun || this.asks()) this.describe(plan)
    if (this.dryRun) return 0
    if (this.asks()) await confirm(this.context, 'Install now?')
    return this.installAsPlanned(plan, words.mail)
  }

  private asks(): boolean {
    return !this.yes && !this.dryRun && isTerminal(this.context)
  }

  private async askHostname(known: string | undefined): Promise<string> {
    const found = known ?? (await fullName())
    if (known !== undefined || !this.asks()) return validated(found)
    const isFull = grammar.domain.safeParse(found).success
    const question = `Full name of this server${isFull ? ` (${found})` : ''}: `
    return askUntil(this.context, question, answer => validated(answer || found, 'type one'))
  }

  private async chooseAdministrator(
    { admin, email }: z.output<typeof Words>,
    hostname: string,
    settings: Record<string, string>,
  ): Promise<Plan['administrator']> {
    const byDefault = `root@${hostname}`
    const { name, isThere } = await chooseAdministrator(settings['DATABASE_URL'], admin)
    if (isThere) {
      if (email !== undefined || this.passwordStdin) {
        this.report(`${name} already exists: sign in to change the e-mail address or password`)
      }
      return { name, email: email ?? byDefault, password: undefined }
    }
    const mail = email ?? (await this.askEmail(byDefault))
    if (!this.passwordStdin && !this.asks()) return { name, email: mail, password: undefined }
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    return { name, email: mail, password: isGenerated ? undefined : password }
  }

  private async askEmail(byDefault: string): Promise<string> {
    if (!this.asks()) return byDefault
    return askUntil(this.context, `Your e-mail address (${byDefault}): `, answer => {
      const parsed = grammar.email.safeParse(answer || byDefault)
      if (parsed.success) return parsed.data
      throw new PanelError('invalid', `The e-mail address ${parsed.error.issues[0]?.message}`)
    })
  }

  private async chooseSelfLicense(settings: Record<string, string>): Promise<boolean> {
    if (this.license !== undefined) {
      if (this.selfLicense) throw new PanelError('invalid', 'Use --license or --self-license')
      return false
    }
    const isLicensed = await hasLicense(settings)
    const why = whyNoSelfLicense(keyOf(settings), isLicensed)
    if (this.selfLicense && why !== undefined) throw new PanelError('invalid', why)
    if (this.selfLicense) return true
    if (!this.asks() || isLicensed || why !== undefined) return false
    this.report('Accounts need a license from the vendor or, for your own servers, from yourself.')
    return askUntil(this.context, 'Sign your own with a new key? yes or no (no): ', yesOrNo)
  }

  private async askDatabases(): Promise<boolean> {
    const isInstalled = existsSync(installedSettings)
    if (!this.asks() || isInstalled || (await whyNoMariaDb()).length > 0) return false
    const question = 'Offer databases to accounts, in MariaDB on this server? yes or no (no): '
    return askUntil(this.context, question, yesOrNo)
  }

  private describe(plan: Plan): void {
    for (const { name, does } of installSteps) this.print(`${name}: ${does(plan)}\n`)
  }

  private async installAsPlanned(plan: Plan, mail: string | undefined): Promise<ExitCode> {
    claimInstallation()
    const names = installSteps.map(({ name }) => name)
    const observe = reportSteps(names, line => this.context.stderr.write(`${line}\n`))
    const { show, clear } = showProgress(this.context.stderr)
    const observed: Observe = (name, work) => observe(name, () => work().finally(clear))
    const left = await install({ ...plan, progress: show }, observed).catch(explained)
    if (mail !== undefined) {
      const report = (line: string) => this.report(line)
      await turnOnMail(mail, this.context.env, { report, progress: { show, clear } })
    }
    for (const sentence of left) this.report(sentence)
    await this.reportHealth()
    await this.reportNextSteps(plan)
    return isLicensed(plan) ? 0 : 1
  }

  private async reportHealth(): Promise<void> {
    const report = await diagnose({})
    const problems = problemsOf(report)
    this.context.stderr.write(inWords(problems))
    this.report(summary(report))
  }

  private async reportNextSteps(plan: Plan): Promise<void> {
    const { hostname, databases, administrator } = plan
    const settings = readSettings(installedSettings) ?? {}
    this.print(`The panel is up at https://${hostname}:${portalPort}/\n`)
    this.print(`administrator  ${administrator.name}\n`)
    takeFirstPassword(password => this.print(`password       ${password} (not shown again)\n`))
    const lines = (await hasLicense(settings)) ? '' : toLicense(maySignOwn(keyOf(settings)))
    this.print(toNext(hostname, databases, lines))
  }
}

const keyOf = (settings: Record<string, string>) => settings['PANEL_LICENSE_KEY'] ?? vendorKey

const hasLicense = (settings: Record<string, string>) =>
  isValid(licenseFile, keyOf(settings), settings['DATABASE_URL'])

async function whyNoDatabases(): Promise<string[]> {
  const taken = whyNotPort(adminerPort)
  return [...(taken === undefined ? [] : [taken]), ...(await whyNoMariaDb())]
}

async function fullName(): Promise<string> {
  return (await run('hostname', ['--fqdn']).catch(ownHostname)).trim()
}

function validated(hostname: string, advice = 'give --hostname'): string {
  const parsed = grammar.domain.safeParse(hostname)
  if (parsed.success) return parsed.data
  const words = `${hostname} is not a full server name: ${advice}, such as panel.example.com`
  throw new PanelError('invalid', words)
}

// A database on another machine stays in use until another one is given.
function databaseFrom(
  url: string | undefined,
  { DATABASE_URL: known }: Record<string, string>,
): string | undefined {
  if (!url) return known !== undefined && isElsewhere(known) ? known : undefined
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new PanelError('invalid', 'DATABASE_URL must begin with postgresql://')
  }
  if (isElsewhere(url) && new URL(url).searchParams.get('sslmode') !== 'verify-full') {
    const words =
      'DATABASE_URL names another machine: add sslmode=verify-full, because \
passwords and data cross the network'
    throw new PanelError('invalid', words)
  }
  return url
}

// Checked before the settings are written, because the processes use them at once.
async function requireAnswer(url: string): Promise<void> {
  try {
    await using client = await connect(connection(url, 'panel_owner', null))
    await client.query('select')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const words = `Cannot connect to the database of DATABASE_URL (${reason}): check its \
host, name, user, password and certificate. Nothing was changed`
    throw new PanelError('unavailable', words, { cause: error })
  }
}

function readLicense(path: string, settings: Record<string, string>): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new PanelError('invalid', `${path} cannot be read (${code})`, { cause: error })
  }
  parseLicense(text, parseKey(keyOf(settings)))
  return text
}

// A tool's output is for the administrator; any other error is a bug of the panel.
function explained(error: unknown): never {
  if (!(error instanceof CommandError)) throw error
  const words = `${error.message}\nFix that, then run panel install again`
  throw new PanelError('unavailable', words, { cause: error })
}
