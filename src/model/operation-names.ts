// Every operation that there is. `migrate` writes this list to panel.operation_names, by which the
// database judges what a caller begins; jobs and tasks are named by it.

type Described = {
  /** Whose turn it takes: an account's, the server's, or nobody's where only rows change. */
  lane: 'account' | 'server' | 'none'
  /** What of its noun it may want changed. */
  wants: readonly string[]
  /** By which doors it may be asked for; none where only the panel itself begins it. */
  doors: readonly ('api' | 'page' | 'command')[]
  /** Who may ask for it there. */
  roles: readonly ('administrator' | 'reseller' | 'customer')[]
  /** Whether it lifts a suspension, or takes away what one keeps. */
  lifts?: true
  /** Whether nobody may ask for it who has signed in as the customer. */
  isPersonal?: true
  /** Whether one that the panel has asked of itself is begun anew by hand where it has failed. */
  isRepeatable?: true
  /** In words, where what takes minutes in the same lane ends for it. */
  urgent?: string
}

const everywhere = ['api', 'page', 'command'] as const
const sellers = { doors: everywhere, roles: ['administrator', 'reseller'] } as const
const all = { doors: everywhere, roles: ['administrator', 'reseller', 'customer'] } as const
// A key opens the files for good: nobody's but the customer's to give, or root's.
const sftpKeys = {
  doors: ['page', 'command'],
  roles: ['administrator', 'customer'],
  isPersonal: true,
} as const
const beyondTheApi = { ...all, doors: ['page', 'command'] } as const
const nobody = { doors: [], roles: [] } as const

const suspension = ['wanted', 'suspend_reason', 'suspended_by'] as const

export const operationNames = {
  'account/create': { lane: 'account', wants: [], ...sellers },
  'account/suspend': {
    ...{ lane: 'account', wants: suspension, ...sellers },
    urgent: 'the account is being suspended',
  },
  'account/unsuspend': { lane: 'account', wants: suspension, ...sellers, lifts: true },
  'account/change-package': { lane: 'account', wants: ['package_id'], ...sellers },
  'account/set-password': {
    lane: 'account',
    wants: ['password_hash', 'sign_in_hash'],
    ...all,
    isPersonal: true,
  },
  'account/terminate': {
    ...{ lane: 'account', wants: ['wanted'], ...sellers, lifts: true },
    urgent: 'the account is being terminated',
  },
  'account/apply': { lane: 'account', wants: [], ...nobody, isRepeatable: true },
  'account/set-email': { lane: 'none', wants: [], ...all, isPersonal: true },
  'account/login': { lane: 'none', wants: [], ...sellers },
  'site/add': { lane: 'account', wants: ['site_id', 'domain'], ...all },
  'site/remove': { lane: 'account', wants: ['site_id', 'domain'], ...all, lifts: true },
  'site/set-https': {
    lane: 'account',
    wants: ['site_id', 'domain', 'https_only'],
    ...beyondTheApi,
  },
  // Settings of a website: one at least.
  'site/set': { lane: 'account', wants: ['site_id', 'domain', 'serves_sources'], ...beyondTheApi },
  'site/look': { lane: 'none', wants: [], ...all },
  'sftp/add-key': { lane: 'account', wants: ['key_id'], ...sftpKeys },
  'sftp/remove-key': { lane: 'account', wants: ['key_id'], ...sftpKeys },
  'database/create': {
    lane: 'account',
    wants: ['database_id'],
    ...beyondTheApi,
    isPersonal: true,
  },
  'database/drop': { lane: 'account', wants: ['database_id'], ...beyondTheApi, lifts: true },
  'database/set-password': {
    lane: 'account',
    wants: ['user_id', 'hash'],
    ...beyondTheApi,
    isPersonal: true,
  },
  'database/grant': {
    lane: 'account',
    wants: ['database_id', 'user_id', 'rights'],
    ...beyondTheApi,
    isPersonal: true,
  },
  'database/import': {
    ...{ lane: 'account', wants: ['database_id', 'import'] },
    // Pages take files of customers alone, and commands of root.
    ...{ doors: ['page', 'command'], roles: ['administrator', 'customer'] },
  },
  'database/optimize': { lane: 'account', wants: ['database_id'], ...beyondTheApi },
  // What its time is over for, the panel closes by itself.
  'database/open': {
    ...{ lane: 'account', wants: ['database_id', 'ticket', 'cookie', 'hash'] },
    ...{ doors: ['page'], roles: ['customer'] },
  },
  'database/close': {
    ...{ lane: 'account', wants: ['database_id'] },
    ...{ doors: ['page'], roles: ['customer'] },
  },
  'certificate/request': { lane: 'account', wants: [], ...nobody },
  'certificate/install': { lane: 'account', wants: [], ...nobody },
  'package/set': { lane: 'none', wants: [], ...sellers },
  'package/remove': { lane: 'none', wants: [], ...sellers },
  'event/redeliver': { lane: 'none', wants: [], doors: ['api'], roles: ['administrator'] },
  'server/check': { lane: 'server', wants: [], doors: ['command'], roles: ['administrator'] },
  'server/apply': { lane: 'server', wants: [], doors: ['command'], roles: ['administrator'] },
} as const satisfies Record<string, Described>

export type OperationName = keyof typeof operationNames

type InLane<Name extends OperationName> = (typeof operationNames)[Name]['lane'] extends 'none'
  ? never
  : Name

/** An operation that takes a turn and has a task: not one that changes rows only. */
export type TaskName = { [Name in OperationName]: InLane<Name> }[OperationName]

export const taskNames = Object.entries(operationNames).flatMap(([name, { lane }]) =>
  lane === 'none' ? [] : [name as TaskName],
)

/** What nothing of minutes may keep waiting, by name, in words. */
export const urgent: Record<string, string> = Object.fromEntries(
  Object.entries(operationNames).flatMap(([name, one]) =>
    'urgent' in one ? [[name, one.urgent]] : [],
  ),
)
