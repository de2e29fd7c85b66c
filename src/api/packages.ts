import type { Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Handler } from '../http/handle.ts'
import { answer, type Perform } from '../http/carry-out.ts'
import { json } from '../http/reply.ts'
import { parse, parseBody } from '../http/request.ts'
import { EmptyBody } from '../model/accounts.ts'
import { packageName } from '../model/grammar.ts'
import * as packages from '../model/packages.ts'

/** GET /packages: the ones that the caller sells. */
export const listPackages =
  (pool: Pool): Handler =>
  async ({ caller }) =>
    json(200, { packages: await packages.list(pool, caller) })

/** GET /packages/{name} */
export const getPackage =
  (pool: Pool): Handler =>
  async ({ caller, params }) =>
    json(200, await packages.get(pool, caller, params['name']!))

/** PUT /packages/{name}: only rows change, so the claim's own transaction finishes it. */
export const putPackage =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      const name = parse(packageName, request.params['name'], 'name')
      const { name: named = name, ...fields } = parseBody(request, packages.PackageFields)
      if (named !== name) throw new PanelError('invalid', 'name must be the name in the path')
      const put = await packages.put(transaction, request.caller, name, fields)
      return answer(put.isNew ? 201 : 200, put.package)
    })

/** DELETE /packages/{name}: only one that no account uses. */
export const deletePackage =
  (perform: Perform): Handler =>
  request =>
    perform(request, async transaction => {
      parseBody(request, EmptyBody)
      return answer(
        200,
        await packages.remove(transaction, request.caller, request.params['name']!),
      )
    })
