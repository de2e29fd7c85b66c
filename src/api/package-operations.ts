import { EmptyBody } from '../model/accounts.ts'
import { Package, PackageFields, PackageList } from '../model/packages.ts'
import { packageFields, starter } from './examples.ts'
import type { Operation } from './operation.ts'
import * as packages from './packages.ts'

const one = { schema: Package, example: starter }

/** The operations of packages: only rows change, so nothing is waited for. */
export const packageOperations: Operation[] = [
  {
    id: 'listPackages',
    method: 'GET',
    path: '/packages',
    tag: 'Packages',
    summary: 'List the packages that the token sells',
    description: 'By name. All administrators share one catalogue; each reseller has its own.',
    answers: {
      200: {
        description: 'The packages',
        schema: PackageList,
        example: { packages: [starter] },
      },
    },
    refusals: [],
    handler: ({ pool }) => packages.listPackages(pool),
  },
  {
    id: 'getPackage',
    method: 'GET',
    path: '/packages/{name}',
    tag: 'Packages',
    summary: 'Get a package',
    description: 'One that the token does not sell is unknown.',
    answers: { 200: { description: 'The package', ...one } },
    refusals: ['invalid', 'not_found'],
    handler: ({ pool }) => packages.getPackage(pool),
  },
  {
    id: 'putPackage',
    method: 'PUT',
    path: '/packages/{name}',
    tag: 'Packages',
    summary: 'Create or update a package',
    description:
      'A field left out takes its default in a new package and keeps its value in a known one. ' +
      'A changed package is applied to every account on it; the answer does not wait for that.',
    body: { schema: PackageFields, example: packageFields },
    answers: {
      200: { description: 'The package was there and is updated', ...one },
      201: { description: 'The package is new', ...one },
    },
    refusals: [],
    handler: ({ perform }) => packages.putPackage(perform),
  },
  {
    id: 'deletePackage',
    method: 'DELETE',
    path: '/packages/{name}',
    tag: 'Packages',
    summary: 'Delete a package',
    description: 'Refused with 400 as long as an account uses it.',
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The package as it was', ...one } },
    refusals: ['not_found'],
    handler: ({ perform }) => packages.deletePackage(perform),
  },
]
