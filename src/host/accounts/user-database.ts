import type { Machine, UserFiles, UserKey } from '../contract.ts'
import { readFile } from '../tools/files.ts'

// passwd, group and shadow: one line per name, with fields separated by colons. Only this file
// reads them.

type File = Parameters<UserFiles['fields']>[0]

// Returns the text of one of the files.
const readUserFile = (path: Machine['path'], file: File): string =>
  readFile(path(`/etc/${file}`)) ?? ''

/** The files in their current state, read again for every question. */
export const openUserFiles = (path: Machine['path']): UserFiles =>
  askOf(file => readUserFile(path, file))

/** A snapshot of the files, each read once: for several questions together. */
export function seeUserFiles(path: Machine['path']): UserFiles {
  const texts = new Map<File, string>()
  const read = (file: File) => {
    const text = texts.get(file) ?? readUserFile(path, file)
    texts.set(file, text)
    return text
  }
  return askOf(read)
}

function askOf(read: (file: File) => string): UserFiles {
  const fields = (file: File, name: string) => fieldsOf(read(file), name)
  return {
    fields,
    find: username => numberOf(fields('passwd', username)),
    nameOf: uid => nameIn(read('passwd'), uid) ?? nameIn(read('group'), uid),
  }
}

/** An indexed snapshot of the files, for questions about many users. */
export function indexUserFiles(path: Machine['path']): UserFiles {
  const lines = (file: File) => linesIn(readUserFile(path, file))
  const [passwd, group, shadow] = [lines('passwd'), lines('group'), lines('shadow')]
  const byName = (of: string[][]) => new Map(of.map(fields => [fields[0], fields]))
  const named = { passwd: byName(passwd), group: byName(group), shadow: byName(shadow) }
  const numbered = new Map([...group, ...passwd].map(fields => [numberOf(fields), fields[0]]))
  return {
    fields: (file, name) => named[file].get(name),
    find: username => numberOf(named.passwd.get(username)),
    nameOf: uid => numbered.get(uid),
  }
}

/** Returns the numbers of all users and groups. */
export const listNumbers = (path: Machine['path']): number[] =>
  (['passwd', 'group'] as const).flatMap(file =>
    linesIn(readUserFile(path, file)).flatMap(fields => numberOf(fields) ?? []),
  )

/** Returns the groups that have this user as a member. */
export const groupsOf = (path: Machine['path'], username: string): string[] =>
  linesIn(readUserFile(path, 'group'))
    .filter(fields => membersOf(fields).includes(username))
    .flatMap(fields => fields[0] ?? [])

const linesIn = (text: string): string[][] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split(':'))

/** Returns the fields of a name's line, or undefined. */
export function fieldsOf(text: string, name: string): string[] | undefined {
  const start = text.startsWith(`${name}:`) ? 0 : text.indexOf(`\n${name}:`) + 1
  if (start === 0 && !text.startsWith(`${name}:`)) return undefined
  const end = text.indexOf('\n', start)
  return text.slice(start, end < 0 ? undefined : end).split(':')
}

/** Returns the name on the first line whose third field is this number. */
const nameIn = (text: string, id: number): string | undefined =>
  new RegExp(`^([^:\\n]*):[^:\\n]*:${id}:`, 'm').exec(text)?.[1]

/** Returns the number in a line of passwd or group. */
export const numberOf = (fields: string[] | undefined): number | undefined =>
  fields?.[2] === undefined ? undefined : Number(fields[2])

/** Returns the other fields of a passwd line. */
export const entryOf = ([, , , group = '', , home = '', shell = '']: string[]) => ({
  group,
  home,
  shell,
})

/** The day since 1970 on which a line of shadow has the user expire. */
export const expiryOf = (shadow: string[] | undefined): string | undefined => shadow?.[7]

/** A user that expired on this day is refused by every login method, keys included. */
export const expired = '1'

/** Returns whether a line of shadow is locked: no hash begins with an exclamation mark. */
export const isLocked = (shadow: string[] | undefined): boolean =>
  shadow?.[1]?.startsWith('!') === true

/** Returns whether the line is a new user's, whose password is only a lock. */
export const isUnset = (shadow: string[] | undefined): boolean => shadow?.[1] === '!'

/** Returns the members in a line of group. */
export const membersOf = (group: string[] | undefined): string[] =>
  group?.[3]?.split(',').filter(Boolean) ?? []

/** Returns whether the database has a user with this name and number. */
export const isKnown = (files: UserFiles, { username, uid }: UserKey): boolean =>
  files.find(username) === uid
