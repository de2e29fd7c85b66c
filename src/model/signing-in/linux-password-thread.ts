import { parentPort } from 'node:worker_threads'
import { encrypt } from 'unixcrypt'

parentPort?.on('message', ({ password, salt }: { password: string; salt: string }) => {
  parentPort?.postMessage(encrypt(password, salt))
})
