import type { CommandClass } from 'clipanion'

// Each command is loaded alone: loading all of them takes several times as long.

const loaders = new Map<string, () => Promise<CommandClass>>(
  Object.entries({
    start: async () => (await import('./start.ts')).StartCommand,
    completion: async () => (await import('./completion.ts')).CompletionCommand,
    'completion words': async () => (await import('./completion/words.ts')).CompletionWordsCommand,
    'ctl info': async () => (await import('./ctl/info.ts')).CtlInfoCommand,
    'ctl reset-password': async () =>
      (await import('./ctl/reset-password.ts')).CtlResetPasswordCommand,
    'ctl disable-2fa': async () => (await import('./ctl/disable-2fa.ts')).CtlDisable2faCommand,
    'ctl allow-ip': async () => (await import('./ctl/allow-ip.ts')).CtlAllowIpCommand,
    'ctl rebuild': async () => (await import('./ctl/rebuild.ts')).CtlRebuildCommand,
    'ctl doctor': async () => (await import('./ctl/doctor.ts')).CtlDoctorCommand,
    'ctl support-bundle': async () =>
      (await import('./ctl/support-bundle.ts')).CtlSupportBundleCommand,
    'ctl dr-restore': async () => (await import('./ctl/dr-restore.ts')).CtlDrRestoreCommand,
    'backup create': async () => (await import('./backup/create.ts')).BackupCreateCommand,
    'backup ls': async () => (await import('./backup/ls.ts')).BackupLsCommand,
    'backup verify': async () => (await import('./backup/verify.ts')).BackupVerifyCommand,
    'account ls': async () => (await import('./account/ls.ts')).AccountLsCommand,
    'account show': async () => (await import('./account/show.ts')).AccountShowCommand,
    'account create': async () => (await import('./account/create.ts')).AccountCreateCommand,
    'account suspend': async () => (await import('./account/suspend.ts')).AccountSuspendCommand,
    'account unsuspend': async () =>
      (await import('./account/unsuspend.ts')).AccountUnsuspendCommand,
    'account set-package': async () =>
      (await import('./account/set-package.ts')).AccountSetPackageCommand,
    'account set-password': async () =>
      (await import('./account/set-password.ts')).AccountSetPasswordCommand,
    'account set-email': async () =>
      (await import('./account/set-email.ts')).AccountSetEmailCommand,
    'account terminate': async () =>
      (await import('./account/terminate.ts')).AccountTerminateCommand,
    'account login': async () => (await import('./account/login.ts')).AccountLoginCommand,
    'site ls': async () => (await import('./site.ts')).SiteLsCommand,
    'site add': async () => (await import('./site.ts')).SiteAddCommand,
    'site rm': async () => (await import('./site.ts')).SiteRmCommand,
    'package set': async () => (await import('./package/set.ts')).PackageSetCommand,
    'package rm': async () => (await import('./package/rm.ts')).PackageRmCommand,
    'package ls': async () => (await import('./package/ls.ts')).PackageLsCommand,
    'package show': async () => (await import('./package/show.ts')).PackageShowCommand,
    'user add': async () => (await import('./user/add.ts')).UserAddCommand,
    'user ls': async () => (await import('./user/ls.ts')).UserLsCommand,
    'reseller ls': async () => (await import('./reseller/ls.ts')).ResellerLsCommand,
    'reseller show': async () => (await import('./reseller/show.ts')).ResellerShowCommand,
    'reseller set': async () => (await import('./reseller/set.ts')).ResellerSetCommand,
    'reseller suspend': async () => (await import('./reseller/suspend.ts')).ResellerSuspendCommand,
    'reseller unsuspend': async () =>
      (await import('./reseller/unsuspend.ts')).ResellerUnsuspendCommand,
    'token create': async () => (await import('./token/create.ts')).TokenCreateCommand,
    'token ls': async () => (await import('./token/ls.ts')).TokenLsCommand,
    'token revoke': async () => (await import('./token/revoke.ts')).TokenRevokeCommand,
    'webhook add': async () => (await import('./webhook/add.ts')).WebhookAddCommand,
    'webhook ls': async () => (await import('./webhook/ls.ts')).WebhookLsCommand,
    'webhook set': async () => (await import('./webhook/set.ts')).WebhookSetCommand,
    'webhook test': async () => (await import('./webhook/test.ts')).WebhookTestCommand,
    'webhook deliveries': async () =>
      (await import('./webhook/deliveries.ts')).WebhookDeliveriesCommand,
    'webhook redeliver': async () =>
      (await import('./webhook/redeliver.ts')).WebhookRedeliverCommand,
    'webhook secret': async () => (await import('./webhook/secret.ts')).WebhookSecretCommand,
    'webhook rm': async () => (await import('./webhook/rm.ts')).WebhookRmCommand,
    'ctl emit': async () => (await import('./ctl/emit.ts')).CtlEmitCommand,
    'jobs ls': async () => (await import('./jobs/ls.ts')).JobsLsCommand,
    'jobs show': async () => (await import('./jobs/show.ts')).JobsShowCommand,
    'jobs retry': async () => (await import('./jobs/retry.ts')).JobsRetryCommand,
    'jobs cancel': async () => (await import('./jobs/cancel.ts')).JobsCancelCommand,
    'jobs pause': async () => (await import('./jobs/pause.ts')).JobsPauseCommand,
    'jobs resume': async () => (await import('./jobs/resume.ts')).JobsResumeCommand,
    'jobs stats': async () => (await import('./jobs/stats.ts')).JobsStatsCommand,
    'jobs watch': async () => (await import('./jobs/watch.ts')).JobsWatchCommand,
    'license show': async () => (await import('./license/show.ts')).LicenseShowCommand,
    'license install': async () => (await import('./license/install.ts')).LicenseInstallCommand,
  }),
)

/** Every command, in the order of the help. */
export const allCommands = (): Promise<CommandClass[]> =>
  Promise.all([...loaders.values()].map(load => load()))

/** The command that a command line begins with; all of them where it is none. */
export async function commandsFor(words: readonly string[]): Promise<CommandClass[]> {
  // Clipanion answers these itself.
  if (words.length === 1 && ['--version', '-v'].includes(words[0]!)) return []
  const named = loaders.get(words.slice(0, 2).join(' ')) ?? loaders.get(words[0] ?? '')
  return named === undefined ? allCommands() : [await named()]
}

/** The words as they were meant: `help jobs ls` is `jobs ls --help`, and `job ls` is `jobs ls`. */
export function meant(words: readonly string[]): string[] {
  const [first = '', ...rest] = words
  if (first === 'help') return [...meant(rest.filter(word => word !== '--help')), '--help']
  const groups = [...loaders.keys()].map(path => path.split(' ')[0])
  const other = first.endsWith('s') ? first.slice(0, -1) : `${first}s`
  return !groups.includes(first) && groups.includes(other) ? [other, ...rest] : [...words]
}
