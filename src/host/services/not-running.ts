import type { Warning } from '../../model/accounts/warnings.ts'
import type { Service } from '../contract.ts'

/** Returns what an account is missing while a service is not running. */
export const notRunning = (service: Service): Warning =>
  service === 'nginx'
    ? { code: 'websites_down', sentence: 'nginx is not running: websites are not served' }
    : { code: 'sftp_down', sentence: 'sshd is not running: SFTP logins fail' }
