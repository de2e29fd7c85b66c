import { Option } from 'clipanion'
import { z } from 'zod'
import { PanelError } from '../errors.ts'
import { readManifest, type Manifest, version } from '../install/manifest.ts'
import { currentRelease, ownRelease, readRelease } from '../install/release.ts'
import { readTrusted } from '../install/trusted-keys.ts'
import { readHistory, type Request } from '../install/update/journal.ts'
import { compare, validateManifest } from '../install/update/validate.ts'
import { manifestOf, readManifestText } from '../install/update/source.ts'
import { executeInUnit, readingJournal, finishInterrupted } from '../install/update/unit.ts'
import { fields } from './columns.ts'
import { optionalArgument } from './completion/completers.ts'
import { findPanel } from './find-panel.ts'
import { json, lines } from './foreign-text.ts'
import { type ExitCode, PanelCommand } from './panel-command.ts'
import { confirm, isTerminal } from './terminal-questions.ts'

const Words = z.object({ to: version.optional() })

export class UpdateCommand extends PanelCommand {
  static override summary = 'update the panel to a newer release'
  static override details = `
    Downloads the release, verifies that its manifest is signed by a key that this release
    trusts, and unpacks it next to the others. Then it migrates the database, with which this
    release keeps working, waits for operations in progress to finish, and switches to the new
    release. A failed update is rolled back automatically. API calls wait meanwhile.

    The update runs as a systemd unit, so a lost connection does not stop it. After a power cut,
    the update is rolled back at the next boot.

    FILE or URL is an archive, its manifest, or a directory of releases; the default is
    PANEL_UPDATE_URL. To go back, use \`panel rollback\`.
  `
  static override examples = {
    'See whether there is a newer release': '$0 --check',
    'Update to the newest': '$0',
    'Update from files, without a network': '$0 /root/panel-1.1.0-linux-x64.tar.xz',
  }

  source = optionalArgument('FILE|URL', 'files')
  check = Option.Boolean('--check', false, { description: 'only show whether there is an update' })
  to = Option.String('--to', { description: 'the version to install' })
  yes = Option.Boolean('--yes', false, { description: 'do not prompt' })
  override json = Option.Boolean('--json', false, { description: 'with --check, for scripts' })

  async perform(): Promise<ExitCode> {
    const { to } = this.parse(Words)
    if (!this.check) await this.finishEarlier()
    const { architecture, version } = requireInstalled()
    const { config } = findPanel({})
    const desired = { given: this.source, to, updateUrl: config.updateUrl }
    const path = manifestOf(desired, architecture)
    const manifest = readManifest(await readManifestText(path), readTrusted())
    const { highest } = readHistory()
    if (to !== undefined && manifest.version !== to) {
      throw new PanelError('invalid', `${path} is of ${manifest.version}, not of ${to}`)
    }
    const installed = { version, architecture, highest, now: new Date() }
    if (this.check) return this.present(compare(manifest, installed), manifest)
    if (manifest.version === version) {
      this.report(`${version} is already installed`)
      return 0
    }
    validateManifest(manifest, installed)
    this.context.stderr.write(lines(`${version} → ${manifest.version}\n${manifest.notes}\n`))
    if (!this.yes && isTerminal(this.context)) await confirm(this.context, 'Update now?')
    const request: Request = {
      kind: 'update',
      to: manifest.version,
      manifest: path,
      restoresDatabase: false,
    }
    return followed(request, text => this.context.stderr.write(lines(text)))
  }

  private async finishEarlier(): Promise<void> {
    requireInstalled()
    await finishInterrupted(words => this.report(words))
  }

  private present(result: ReturnType<typeof compare>, { expiresAt }: Manifest): ExitCode {
    this.print(this.json ? json({ ...result, expires_at: expiresAt }) : fields(result))
    return 0
  }
}

/**
 * Returns the installed release, the only one that can be updated, and only by root.
 *
 * @throws {PanelError}
 */
export function requireInstalled() {
  const own = ownRelease()
  if (process.getuid?.() !== 0)
    throw new PanelError('forbidden', 'Run this command as root: use sudo')
  const current = readRelease(currentRelease)
  if (current?.version === own.version) return own
  const words = `${current?.version ?? 'No release'} is installed, and this is ${own.version}: \
call ${currentRelease}/bin/panel`
  throw new PanelError('invalid', words)
}

/** Starts the unit and shows its output. */
export async function followed(request: Request, show: (text: string) => void): Promise<ExitCode> {
  const outcome = await executeInUnit(request, show)
  if (outcome === undefined) {
    throw new PanelError('failed', `It ended without a message: see ${readingJournal}`)
  }
  return outcome.outcome === 'done' ? 0 : 1
}
