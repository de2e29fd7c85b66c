import { forAll, forSellers, forTheServer, type OperationKind } from './operation-kind.ts'
import { resourceOperations } from './resource-kinds.ts'

// The list of all operations. `migrate` writes it to panel.operation_names, by which the database
// checks what a caller begins; jobs and tasks have the same names.

const suspension = ['desired', 'suspend_reason', 'suspended_by'] as const

export const operationNames = {
  'account/create': { lane: 'account', params: [], ...forSellers },
  'account/suspend': {
    ...{ lane: 'account', params: suspension, ...forSellers },
    urgent: 'the account is being suspended',
  },
  'account/unsuspend': { lane: 'account', params: suspension, ...forSellers, lifts: true },
  'account/change-package': { lane: 'account', params: ['package_id'], ...forSellers },
  'account/set-password': {
    lane: 'account',
    params: ['password_hash', 'sign_in_hash'],
    ...forAll,
    isPersonal: true,
  },
  'account/terminate': {
    ...{ lane: 'account', params: ['desired'], ...forSellers, lifts: true },
    urgent: 'the account is being terminated',
  },
  'account/apply': { lane: 'account', params: [], ...forTheServer, isRepeatable: true },
  'account/set-email': { lane: 'none', params: [], ...forAll, isPersonal: true },
  'account/login': { lane: 'none', params: [], ...forSellers },
  ...resourceOperations,
  'package/set': { lane: 'none', params: [], ...forSellers },
  'package/remove': { lane: 'none', params: [], ...forSellers },
  'event/redeliver': { lane: 'none', params: [], channels: ['api'], roles: ['administrator'] },
  'server/check': { lane: 'server', params: [], channels: ['cli'], roles: ['administrator'] },
  'server/trust-proxies': {
    ...{ lane: 'server', params: ['proxies', 'added', 'removed'] },
    ...{ channels: ['cli'], roles: ['administrator'] },
  },
  'server/set-php': {
    ...{ lane: 'server', params: ['php_version'] },
    ...{ channels: ['cli'], roles: ['administrator'] },
  },
  'server/set-mail-relay': {
    ...{ lane: 'server', params: ['mail_relay'] },
    ...{ channels: ['page', 'cli'], roles: ['administrator'] },
  },
  'server/set-mail': {
    ...{ lane: 'server', params: ['mail'] },
    ...{ channels: ['cli'], roles: ['administrator'] },
  },
  'server/retry-mail': {
    ...{ lane: 'server', params: ['messages'] },
    ...{ channels: ['page', 'cli'], roles: ['administrator'] },
  },
  'server/delete-mail': {
    ...{ lane: 'server', params: ['messages'] },
    ...{ channels: ['page', 'cli'], roles: ['administrator'] },
  },
  'server/apply': { lane: 'server', params: [], ...forTheServer },
  'server/start-service': { lane: 'server', params: ['service'], ...forTheServer },
  'server/back-up': { lane: 'server', params: ['passphrase'], ...forTheServer },
  'server/repair': { lane: 'server', params: [], ...forTheServer },
  'server/empty-trash': { lane: 'server', params: ['until'], ...forTheServer },
} as const satisfies Record<string, OperationKind>

export type OperationName = keyof typeof operationNames

type InLane<Name extends OperationName> = (typeof operationNames)[Name]['lane'] extends 'none'
  ? never
  : Name

/** An operation with a lane and a task, unlike one that only changes rows. */
export type TaskName = { [Name in OperationName]: InLane<Name> }[OperationName]

export const taskNames = Object.entries(operationNames).flatMap(([name, { lane }]) =>
  lane === 'none' ? [] : [name as TaskName],
)

/** The operations that must not wait for long ones, with the reason in words. */
export const urgent: Record<string, string> = Object.fromEntries(
  Object.entries(operationNames).flatMap(([name, one]) =>
    'urgent' in one ? [[name, one.urgent]] : [],
  ),
)
