import * as fs from 'node:fs'
import type { PhpProgram } from '../contract.ts'
import { listNames } from '../tools/files.ts'

/** The newest php-fpm of a real machine. */
export const linuxPhp: PhpProgram = {
  name: newest,

  // The program, its php.ini and its extensions' files, with their times.
  surroundings() {
    const name = newest()
    const folder = `/etc/php/${name.slice('php-fpm'.length)}/fpm`
    const extensions = listNames(`${folder}/conf.d`).map(one => `${folder}/conf.d/${one}`)
    return [`/usr/sbin/${name}`, `${folder}/php.ini`, ...extensions].map(ageOf).join('\n')
  },
}

function newest(): string {
  const version = (name: string) => Number(name.slice('php-fpm'.length))
  const names = fs.readdirSync('/usr/sbin').filter(name => /^php-fpm[0-9]+\.[0-9]+$/.test(name))
  const [found] = names.sort((a, b) => version(b) - version(a))
  if (found === undefined) throw new Error('There is no php-fpm in /usr/sbin')
  return found
}

function ageOf(path: string): string {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return `${path} ${found?.ino} ${found?.size} ${found?.mtimeMs}`
}
