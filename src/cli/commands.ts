import { AccountLsCommand } from './account/ls.ts'
import { AccountShowCommand } from './account/show.ts'
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

/** Every command, in the order of the help. */
export const commands = [
  StartCommand,
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
  LicenseShowCommand,
  LicenseInstallCommand,
]
