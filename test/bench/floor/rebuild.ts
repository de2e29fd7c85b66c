import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { promisify } from 'node:util'

// The floor of a rebuild of all files: write all aside, sync them together, rename them, make the
// links, sync the folders, test PHP once, and have what runs of it end and read its file. It has
// the texts and targets already, and no rows, locks, comparisons or reports.

const [texts = ''] = process.argv.slice(2)
type Kept = { path: string; text: string } | { path: string; target: string }
const all = JSON.parse(fs.readFileSync(texts, 'utf8')) as Kept[]
const folders = new Set(all.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
const files = all.filter(one => 'text' in one)
const sync = promisify(fs.fsync)

const open = files.map(({ path, text }) => {
  const file = fs.openSync(`${path}.new`, 'wx', 0o644)
  fs.writeFileSync(file, text)
  return file
})
await Promise.all(open.map(file => sync(file)))
for (const file of open) fs.closeSync(file)
for (const { path } of files) fs.renameSync(`${path}.new`, path)
for (const one of all) if ('target' in one) fs.symlinkSync(one.target, one.path)
for (const folder of folders) {
  const file = fs.openSync(folder, 'r')
  fs.fsyncSync(file)
  fs.closeSync(file)
}

const php = fs.readdirSync('/usr/sbin').find(name => /^php-fpm[0-9.]+$/.test(name)) ?? ''
const pool = files.find(({ path }) => path.startsWith('/etc/panel/php/'))?.path ?? ''
// php-fpm started as root needs a user, and its log its owner.
const uid = Number(/([0-9]+)\.conf$/.exec(pool)?.[1])
execFileSync(`/usr/sbin/${php}`, ['-t', '-y', pool], { stdio: 'ignore', uid, gid: uid })
execFileSync('systemctl', ['kill', '--kill-whom=main', '--signal=SIGQUIT', 'panel-php@*.service'])
