import { z } from 'zod'
import { cloudflare } from '../../../model/server/cloudflare.ts'
import { networksOf, TrustedProxies, trustProxies } from '../../../model/server/trusted-proxies.ts'
import { type Layout, table } from '../../columns.ts'
import type { ExitCode } from '../../panel-command.ts'
import { WriteCommand } from '../../write-command.ts'

const Words = z.object({ network: TrustedProxies })

/** A command that changes the list of trusted proxies. */
export abstract class TrustedProxiesCommand extends WriteCommand {
  abstract network: string[]

  protected change(change: 'added' | 'removed' | 'proxies'): Promise<ExitCode> {
    const { network: entries } = this.parse(Words)
    return this.write(trustProxies, { change, entries }, proxiesTable)
  }
}

/** Prints the list as a table. */
export const proxiesTable = ({ trusted_proxies }: { trusted_proxies: string[] }): Layout =>
  table(
    ['ENTRY', 'NETWORKS'],
    trusted_proxies.map(entry => [entry, describeEntry(entry)]),
  )

const describeEntry = (entry: string): string =>
  entry === 'cloudflare' ? `${networksOf([entry]).length}, as of ${cloudflare.date}` : '1'
