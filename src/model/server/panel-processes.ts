import { all, type Db, run } from '../../db.ts'

// The running processes of the panel: each holds an advisory lock on a connection of its own.

const names = ['api', 'worker', 'courier'] as const

export type ProcessName = (typeof names)[number]

/** Marks a process as running, for as long as the connection lasts. */
export const showProcess = (session: Db, name: ProcessName) => run(session)`
  select panel.show_process(${name}, ${process.uptime()})`

/** The number of processes of a kind, and the start of the oldest. */
export type ProcessState = {
  name: ProcessName
  /** 0 if none runs. */
  count: number
  started_at: Date | null
  uptime_s: number | null
}

export const listProcesses = (db: Db) => all<ProcessState>(db)`
  select named.name, count(l.pid)::int as count, min(p.started_at) as started_at,
    floor(extract(epoch from clock_timestamp() - min(p.started_at)))::int as uptime_s
  from unnest(${names}::text[]) with ordinality as named (name, ordinal)
  left join pg_locks l
    on l.locktype = 'advisory' and l.granted and l.classid = 7202 and l.objsubid = 2
    and l.database = (select oid from pg_database where datname = current_database())
    and l.objid = (hashtext(named.name)::bigint & 4294967295)::oid
  left join panel.processes p on p.backend_pid = l.pid and p.name = named.name
  group by named.name, named.ordinal
  order by named.ordinal`
