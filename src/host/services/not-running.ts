import type { Warning } from '../../model/accounts/warnings.ts'
import type { Machine, Service } from '../contract.ts'

/** Returns what an account is missing while a service is not running. */
export const notRunning = (service: Service): Warning =>
  service === 'nginx'
    ? { code: 'websites_down', sentence: 'nginx is not running: websites are not served' }
    : { code: 'sftp_down', sentence: 'sshd is not running: SFTP logins fail' }

/** Returns the same sentence if the service is not running now. */
export const whyDown =
  (service: Service) =>
  async ({ services }: Machine): Promise<string | undefined> =>
    (await services.isUp(service)) ? undefined : notRunning(service).sentence
