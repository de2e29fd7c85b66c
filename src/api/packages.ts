import { PanelError } from '../errors.ts'
import { parse } from '../http/request.ts'
import { packageName } from '../model/grammar/grammar.ts'
import * as packages from '../model/sellers/packages.ts'
import { Package, PackageFields, PackageList } from '../model/sellers/packages.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'
import { packageFields, starter } from './examples.ts'

const one = { schema: Package, example: starter }

/** The endpoints of packages: only rows change, so no request waits for the worker. */
export const packageEndpoints: Endpoint[] = [
  reading({
    id: 'listPackages',
    method: 'GET',
    path: '/packages',
    tag: 'Packages',
    summary: "List the packages in the token's catalogue",
    description: 'By name. All administrators share one catalogue; each reseller has its own.',
    answers: {
      200: {
        description: 'The packages',
        schema: PackageList,
        example: { packages: [starter] },
      },
    },
    refusals: [],
    read:
      ({ pool }) =>
      async ({ caller }) => ({ packages: await packages.list(pool, caller) }),
  }),
  reading({
    id: 'getPackage',
    method: 'GET',
    path: '/packages/{name}',
    tag: 'Packages',
    summary: 'Get a package',
    description: "A package outside the token's catalogue is not found.",
    answers: { 200: { description: 'The package', ...one } },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        packages.get(pool, caller, params.name),
  }),
  writing({
    id: 'putPackage',
    method: 'PUT',
    path: '/packages/{name}',
    tag: 'Packages',
    summary: 'Create or update a package',
    description:
      'A field left out takes its default in a new package and keeps its value in an existing ' +
      'one. A changed package is applied to every account on it; the answer does not wait for ' +
      'that. ' +
      'Refused with 403 if a single account on it, or the accounts on it together, would exceed ' +
      "the reseller's plan.",
    body: { schema: PackageFields, example: packageFields },
    answers: {
      200: { description: 'The package existed and was updated', ...one },
      201: { description: 'The package was created', ...one },
    },
    refusals: [],
    write: packages.set,
    toDesired: (params, { name: named, ...fields }) => {
      const name = parse(packageName, params.name, 'name')
      if ((named ?? params.name) !== name)
        throw new PanelError('invalid', 'name must be the name in the path')
      return { name, ...fields }
    },
  }),
  writing({
    id: 'deletePackage',
    method: 'DELETE',
    path: '/packages/{name}',
    tag: 'Packages',
    summary: 'Delete a package',
    description: 'Refused with 400 while an account uses it.',
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The package as it was', ...one } },
    refusals: ['not_found'],
    write: packages.remove,
    toDesired: params => params,
  }),
]
