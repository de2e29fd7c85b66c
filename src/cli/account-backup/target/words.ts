import { Option } from 'clipanion'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { PanelError } from '../../../errors.ts'
import { type SavedTarget, setTarget } from '../../../model/account-backups/target-writes.ts'
import { secretOf, Target, targetName } from '../../../model/account-backups/targets.ts'
import { readServerKey } from '../../../model/server/server-key.ts'
import { fields, type Layout } from '../../columns.ts'
import type { ExitCode } from '../../panel-command.ts'
import { readSecret } from '../../secret-input.ts'
import { WriteCommand } from '../../write-command.ts'

const Words = z.object({ name: targetName })

/** The options of a target, for the commands that add or change one. */
export abstract class SavedTargetCommand extends WriteCommand {
  name = Option.String({ name: 'NAME' })
  folder = Option.String('--folder', {
    description: 'a folder of this server, such as a mounted disk',
  })
  ssh = Option.String('--ssh', {
    description: 'another server by SFTP, as user@host[:port]/path; /./ begins a relative path',
  })
  hostKey = Option.String('--host-key', {
    description: 'the public host key of the SFTP server, as ssh-keyscan prints it after the name',
  })
  rest = Option.String('--rest', { description: 'the address of a REST server for restic' })
  user = Option.String('--user', { description: 'the user of the REST server' })
  appendOnly = Option.Boolean('--append-only', false, {
    description: 'the REST server deletes nothing: old backups are removed on its side',
  })
  s3 = Option.String('--s3', { description: 'the address of an S3 service' })
  bucket = Option.String('--bucket', { description: 'the bucket of the S3 service' })
  prefix = Option.String('--prefix', { description: 'a folder in the bucket' })
  region = Option.String('--region', { description: 'the region of the bucket' })
  accessKey = Option.String('--access-key', { description: 'the id of the access key' })
  isDefault = Option.Boolean('--default', false, { description: 'send new backups here' })
  secretStdin = Option.Boolean('--secret-stdin', false, {
    description: 'read the private key, password or secret key from standard input',
  })

  protected async save(): Promise<ExitCode> {
    const { name } = this.parse(Words)
    const address = this.readAddress()
    const { config } = await this.open()
    const credentials = this.secretStdin ? await this.readCredentials(address) : undefined
    const desired = {
      ...{ name, address, credentials, isDefault: this.isDefault },
      newKey: () => randomBytes(32).toString('base64url'),
      serverKey: () => readServerKey(config.keyFile),
    }
    return this.write(setTarget, desired, targetWords)
  }

  private readAddress(): Target {
    const { folder, ssh, rest, s3 } = this
    if ([folder, ssh, rest, s3].filter(one => one !== undefined).length !== 1) {
      throw new PanelError('invalid', 'Give one of --folder, --ssh, --rest and --s3')
    }
    const parsed = Target.safeParse(this.chosen())
    if (parsed.success) return parsed.data
    const { path, message } = parsed.error.issues[0]!
    throw new PanelError('invalid', `${path.join('.')} ${message}`)
  }

  private chosen(): object {
    const { folder, ssh, rest, s3, user, hostKey: host_key } = this
    if (folder !== undefined) return { kind: 'folder', path: folder }
    if (rest !== undefined) {
      return { kind: 'rest', url: rest, user: user ?? null, is_append_only: this.appendOnly }
    }
    if (s3 !== undefined) {
      const { bucket, prefix = null, region = null, accessKey: access_key } = this
      return { kind: 's3', url: s3, bucket, prefix, region, access_key }
    }
    const found = /^([^@]+)@([^:/]+)(?::([0-9]{1,5}))?(\/.+)$/.exec(ssh ?? '')
    if (found === null) throw new PanelError('invalid', '--ssh must be user@host[:port]/path')
    const [, login = '', host = '', port = '22', given = ''] = found
    const path = given.startsWith('/./') ? given.slice(3) : given
    return { kind: 'sftp', user: login, host, port: Number(port), path, host_key }
  }

  private async readCredentials({ kind }: Target): Promise<string> {
    const secret = secretOf[kind]
    if (secret === null) throw new PanelError('invalid', 'A folder has no secret')
    const parsed = secret.schema.safeParse(
      await readSecret(this.context.stdin, secret.label, 8_000),
    )
    if (parsed.success) return parsed.data
    throw new PanelError('invalid', `${secret.label} ${parsed.error.issues[0]?.message}`)
  }
}

/** Formats a target for people. */
export const targetWords = ({ name, address }: SavedTarget): Layout => fields({ name, ...address })
