// The kinds of things that accounts have. Everything that concerns all of them alike is derived
// from this list; what only one of them needs stands in its own files.

/** A kind of things that requests add to an account, change and take away again. */
export type ResourceKind = {
  /** Its tables, each with `account_id`, `added_by` and `wanted`; referring ones come first. */
  tables: readonly string[]
  /** Its SQL function that restores rows as they were before an operation. */
  restore: string
  /** Its SQL function that completes rows when an operation ends, in place of the usual way. */
  complete?: string
}

export const resourceKinds: readonly ResourceKind[] = [
  { tables: ['sites'], restore: 'restore_site' },
  { tables: ['sftp_keys'], restore: 'restore_sftp_key' },
  {
    tables: ['database_users', 'databases'],
    restore: 'restore_database',
    complete: 'complete_databases',
  },
]
