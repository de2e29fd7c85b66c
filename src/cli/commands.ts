import { AccountLsCommand } from './account/ls.ts'
import { AccountShowCommand } from './account/show.ts'
import { BackupCreateCommand } from './backup/create.ts'
import { BackupLsCommand } from './backup/ls.ts'
import { BackupVerifyCommand } from './backup/verify.ts'
import { CompletionCommand } from './completion.ts'
import { CtlAllowIpCommand } from './ctl/allow-ip.ts'
import { CtlDisable2faCommand } from './ctl/disable-2fa.ts'
import { CtlDoctorCommand } from './ctl/doctor.ts'
import { CtlDrRestoreCommand } from './ctl/dr-restore.ts'
import { CtlEmitCommand } from './ctl/emit.ts'
import { CtlInfoCommand } from './ctl/info.ts'
import { CtlRebuildCommand } from './ctl/rebuild.ts'
import { CtlResetPasswordCommand } from './ctl/reset-password.ts'
import { CtlSupportBundleCommand } from './ctl/support-bundle.ts'
import { JobsCancelCommand } from './jobs/cancel.ts'
import { JobsLsCommand } from './jobs/ls.ts'
import { JobsPauseCommand } from './jobs/pause.ts'
import { JobsResumeCommand } from './jobs/resume.ts'
import { JobsRetryCommand } from './jobs/retry.ts'
import { JobsShowCommand } from './jobs/show.ts'
import { JobsStatsCommand } from './jobs/stats.ts'
import { JobsWatchCommand } from './jobs/watch.ts'
import { LicenseInstallCommand } from './license/install.ts'
import { LicenseShowCommand } from './license/show.ts'
import { PackageLsCommand } from './package/ls.ts'
import { PackageShowCommand } from './package/show.ts'
import { ResellerSetCommand } from './reseller/set.ts'
import { ResellerSuspendCommand } from './reseller/suspend.ts'
import { ResellerUnsuspendCommand } from './reseller/unsuspend.ts'
import { StartCommand } from './start.ts'
import { TokenCreateCommand } from './token/create.ts'
import { TokenLsCommand } from './token/ls.ts'
import { TokenRevokeCommand } from './token/revoke.ts'
import { UserAddCommand } from './user/add.ts'
import { WebhookAddCommand } from './webhook/add.ts'
import { WebhookDeliveriesCommand } from './webhook/deliveries.ts'
import { WebhookLsCommand } from './webhook/ls.ts'
import { WebhookRedeliverCommand } from './webhook/redeliver.ts'
import { WebhookRmCommand } from './webhook/rm.ts'
import { WebhookSecretCommand } from './webhook/secret.ts'
import { WebhookTestCommand } from './webhook/test.ts'

/** Every command, in the order of the help. */
export const commands = [
  StartCommand,
  CompletionCommand,
  CtlInfoCommand,
  CtlResetPasswordCommand,
  CtlDisable2faCommand,
  CtlAllowIpCommand,
  CtlRebuildCommand,
  CtlDoctorCommand,
  CtlSupportBundleCommand,
  CtlDrRestoreCommand,
  BackupCreateCommand,
  BackupLsCommand,
  BackupVerifyCommand,
  AccountLsCommand,
  AccountShowCommand,
  PackageLsCommand,
  PackageShowCommand,
  UserAddCommand,
  ResellerSetCommand,
  ResellerSuspendCommand,
  ResellerUnsuspendCommand,
  TokenCreateCommand,
  TokenLsCommand,
  TokenRevokeCommand,
  WebhookAddCommand,
  WebhookLsCommand,
  WebhookTestCommand,
  WebhookDeliveriesCommand,
  WebhookRedeliverCommand,
  WebhookSecretCommand,
  WebhookRmCommand,
  CtlEmitCommand,
  JobsLsCommand,
  JobsShowCommand,
  JobsRetryCommand,
  JobsCancelCommand,
  JobsPauseCommand,
  JobsResumeCommand,
  JobsStatsCommand,
  JobsWatchCommand,
  LicenseShowCommand,
  LicenseInstallCommand,
]
