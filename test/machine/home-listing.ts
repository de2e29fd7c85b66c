import { execFileSync } from 'node:child_process'

/**
 * Lists the home of alice with owners, modes and links. Without access logs, which the worker
 * writes within a minute of a visit.
 */
export function listHome(): string[] {
  const words = ['/home/alice', '-not', '-name', '*.access.log', '-printf', '%p %U %G %m %l\n']
  return execFileSync('find', words, { encoding: 'utf8' }).split('\n').sort()
}
