#!/usr/bin/env node
// The entry point for any version of Node. `panel` is a link to this file, named .cjs because some
// distributions' Node needs a suffix to know the kind of a module. The panel itself needs a Node
// that runs TypeScript; one comes with its dependencies.
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, lstatSync, mkdirSync, realpathSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// Type stripping is older than argon2 and explicit disposal.
const isEnough = major > 24 || (major === 24 && minor >= 7)

if (isEnough) {
  // Keeps compiled code between calls.
  const cache = cacheFolder()
  if (cache !== undefined) enableCompileCache(cache)
  import(join(__dirname, 'panel.ts'))
} else {
  const bundled = join(__dirname, `../node_modules/node-linux-${process.arch}/bin/node`)
  if (existsSync(bundled) && realpathSync(bundled) !== realpathSync(process.execPath)) {
    runWith(bundled)
  } else {
    console.error('panel: the dependencies are not those of this release: run npm ci first')
    process.exitCode = 1
  }
}

// Compiled code runs as the caller, so the cache is used only next to the caller's own code, where
// no other user may write; without such a folder there is no cache.
function cacheFolder() {
  const modules = join(__dirname, '../node_modules')
  const folder = join(modules, '.cache/panel')
  const isOwn = path => lstatSync(path).uid === process.getuid()
  try {
    if (!isOwn(modules)) return undefined
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const isClosed = (lstatSync(folder).mode & 0o022) === 0
    return isOwn(folder) && isClosed ? folder : undefined
  } catch {
    return undefined // The folder cannot be written.
  }
}

// Starts the panel in a Node that can run it. This process forwards signals to the other one and
// its exit code to the caller. If this one is killed, the kernel kills the other one too.
function runWith(node) {
  const command = ['--pdeathsig', 'KILL', '--', node, __filename, ...process.argv.slice(2)]
  const child = spawn('setpriv', command, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    console.error(`panel: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (code !== null) process.exitCode = code
    else process.exitCode = signal === 'SIGKILL' ? 137 : 143
  })
}
