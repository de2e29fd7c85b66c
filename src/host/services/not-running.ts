import type { Service } from '../contract.ts'

/** What an account's owner misses while a service does not run. */
export const notRunning = (service: Service): string =>
  service === 'nginx'
    ? 'nginx is not running: websites are not served'
    : 'sshd is not running: nobody can log in by SFTP'
