import { accounts } from './accounts.ts'
import { backups } from './backups.ts'
import { cron } from './cron.ts'
import { customer } from './customer.ts'
import { databases } from './databases.ts'
import { events } from './events.ts'
import { forms } from './forms.ts'
import { hooks } from './hooks.ts'
import { jobs } from './jobs.ts'
import { mail } from './mail.ts'
import { myAccount } from './my-account.ts'
import { operators } from './operators.ts'
import { packages } from './packages.ts'
import { panel } from './panel.ts'
import { parts } from './parts.ts'
import { remedies } from './remedies.ts'
import { scripts } from './scripts.ts'
import { server } from './server.ts'
import { signIn } from './sign-in.ts'
import { sites } from './sites.ts'
import { states } from './states.ts'
import { words } from './words.ts'

// The texts of pages in English, by topic.

export const en = {
  accounts,
  backups,
  cron,
  customer,
  databases,
  events,
  forms,
  hooks,
  jobs,
  mail,
  myAccount,
  operators,
  packages,
  panel,
  parts,
  remedies,
  scripts,
  server,
  signIn,
  sites,
  states,
  words,
} as const
