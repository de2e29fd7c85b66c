import { all, type Db, run, oneFirst } from '../../db.ts'
import type { LogBatch, LogFile } from '../server/logs-host.ts'

// The position up to which the access log has been read, and the bytes sent by each website until
// then. One statement stores both, so each line counts exactly once, even after kills and repeats.

export type Position = { device: string; inode: string; bytesRead: number; readAt: Date }

export const listPositions = (db: Db) => all<Position>(db)`
  select device, inode, bytes_read::float8 as "bytesRead", read_at as "readAt"
  from panel.log_positions`

/**
 * The offset to continue from in a file, and the position in its row now; null if it has no row.
 */
export type Start = { offset: number; stored: number | null }

/**
 * Returns the offset to continue from in a file.
 *
 * A rotated file without a position is a copy, if the current file has one: rotated files are read
 * first, so its lines were counted in the file that it was copied from.
 */
export function startOf(file: LogFile, files: LogFile[], positions: Position[]): Start {
  const stored = positions.find(row => isOf(row, file))?.bytesRead ?? null
  const position = find(file, files, positions)
  if (position !== undefined) {
    const isCut = position.bytesRead > file.bytes
    return { offset: isCut ? 0 : position.bytesRead, stored }
  }
  const current = files.find(({ isCurrent }) => isCurrent)
  const isCopy = current !== undefined && find(current, files, positions) !== undefined
  return { offset: isCopy && !file.isCurrent ? file.bytes : 0, stored }
}

function find(file: LogFile, files: LogFile[], positions: Position[]): Position | undefined {
  const devices = files.map(({ device }) => device)
  const position =
    positions.find(row => isOf(row, file)) ??
    // Some file systems get a new device number when they are mounted again.
    positions.find(row => row.inode === file.inode && !devices.includes(row.device))
  // The inode number of a deleted file may have been reused for this one.
  const isOther = position && file.bornAt && file.bornAt > position.readAt
  return isOther ? undefined : position
}

const isOf = (row: Position, { device, inode }: LogFile): boolean =>
  row.device === device && row.inode === inode

/**
 * Adds up a batch and moves the file's position past it, both or neither. The bytes of deleted
 * sites are dropped.
 *
 * @param stored the position when the batch was read
 * @throws if another reader has moved it since
 */
export async function record(
  db: Db,
  { device, inode, bornAt }: LogFile,
  stored: number | null,
  { end, sums }: Pick<LogBatch, 'end' | 'sums'>,
): Promise<void> {
  // After a clock is set back, the file must not seem newer than its position.
  const readAt = new Date(Math.max(Date.now(), bornAt?.getTime() ?? 0))
  const isMoved = await oneFirst<boolean>(db, 'record_bandwidth')`
    with moved as (
      insert into panel.log_positions as p (device, inode, bytes_read, read_at)
      values (${device}, ${inode}, ${end}, ${readAt})
      on conflict (device, inode) do update
      set bytes_read = excluded.bytes_read, read_at = excluded.read_at
      where p.bytes_read = ${stored}
      returning 1
    ), counted as (
      insert into panel.bandwidth_usage as u (account_id, month, bytes, measured_at)
      select s.account_id, l.month, sum(l.bytes), ${readAt}
      from jsonb_to_recordset(${JSON.stringify(sums)}) as l (site bigint, month date, bytes bigint)
      join panel.sites s on s.id = l.site
      where exists (select from moved)
      group by s.account_id, l.month
      on conflict (account_id, month) do update
      set bytes = u.bytes + excluded.bytes, measured_at = excluded.measured_at
    )
    select exists (select from moved)`
  if (!isMoved) throw new Error('Another reader has moved the log position')
}

/** Deletes the positions of files that no longer exist. */
export const forgetPositions = (db: Db, files: LogFile[]) => run(db)`
  delete from panel.log_positions p
  where not exists (
    select from unnest(
      ${files.map(({ device }) => device)}::bigint[], ${files.map(({ inode }) => inode)}::bigint[]
    ) as f (device, inode)
    where f.device = p.device and f.inode = p.inode)`
