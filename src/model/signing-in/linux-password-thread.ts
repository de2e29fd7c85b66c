import { parentPort } from 'node:worker_threads'
import { hashSync } from 'bcryptjs'
import { encrypt } from 'unixcrypt'

// bcrypt makes its salt itself.
parentPort?.on('message', ({ password, salt }: { password: string; salt: string | number }) => {
  const hash = typeof salt === 'number' ? hashSync(password, salt) : encrypt(password, salt)
  parentPort?.postMessage(hash)
})
