import type { Test } from 'tap'
import type { DebianMachine } from '../debian-machine.ts'
import type { Client } from '../installed.ts'
import { openCustomer, removeCustomer } from './customer.ts'
import { showDokuWiki } from './dokuwiki.ts'
import { showFrameworks } from './frameworks.ts'
import { showMediaWiki } from './mediawiki.ts'
import { compare, openResults, type Results, write } from './results.ts'
import { showSinglePage, showStatic } from './static.ts'
import { showPhpMyAdmin, showRoundcube } from './tools.ts'
import { unpackApplications, unpacked } from './unpacked.ts'
import { showWordPress } from './wordpress.ts'

// Applications that people bring, on an installed panel: from the files of Debian's packages and
// databases that the panel adds, over HTTP, as their owners and visitors use them.
// `npm run test:applications` does it on Debian 12 and 13, each an installed panel that is kept
// (prepared.ts), and writes the table of docs/reference/applications.md. `npm run test:machine`
// does it once more on the panels that its tests of the installer have just installed
// (install-suite.ts, debian/bookworm.test.ts), and fails if the table says something else.

/** Tests applications on a panel with databases: what works is what the reference says. */
export async function showApplications(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  compare(t, await suiteOf(machine), await use(t, machine, client))
}

/** Does the same, and writes what works into the reference. */
export async function recordApplications(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  write(await suiteOf(machine), await use(t, machine, client))
}

const suiteOf = async (machine: DebianMachine): Promise<string> =>
  (await machine.must('sh', '-c', '. /etc/os-release; echo $VERSION_CODENAME')).trim()

async function use(t: Test, machine: DebianMachine, client: Client): Promise<Results> {
  const versions = await unpackApplications(machine)
  const customer = await openCustomer(t, machine, client)
  const results = openResults(versions)
  await showWordPress(t, customer, results)
  await showMediaWiki(t, customer, results)
  await showDokuWiki(t, customer, results)
  await showRoundcube(t, customer, results)
  await showPhpMyAdmin(t, customer, results)
  await showFrameworks(t, customer, results)
  await showSinglePage(t, customer, results)
  await showStatic(t, customer, results)
  await removeCustomer(t, client)
  await machine.must('rm', '-r', unpacked)
  return results
}
