import { setTimeout as sleep } from 'node:timers/promises'
import * as services from '../../host/services/service-health.ts'
import * as health from '../../model/server/database-health.ts'
import { type Checks, duration, failure, Skip, warning, well } from './check.ts'

// Certificates, sign-on links and signatures tolerate this difference.
const toleratedMs = 2_000
const wrongMs = 60_000
const watchMs = 300

const advice = 'Synchronize it by NTP: apt-get install systemd-timesyncd; timedatectl set-ntp true'

/** Checks the clock, which licenses, certificates and codes depend on. */
export const clockChecks: Checks = {
  async database({ db }) {
    const pool = await db()
    const [before, time, after] = [Date.now(), await health.readClock(pool), Date.now()]
    // It was read at some moment between the two.
    const offMs = time < before ? before - time : Math.max(0, time - after)
    if (offMs < toleratedMs) return well("The database's clock agrees with this machine's")
    const words = `The database's clock is ${duration(offMs / 1_000)} off this machine's`
    return offMs < wrongMs ? warning(words, advice) : failure(words, advice)
  },
  async steady() {
    const [wall, steady] = [Date.now(), performance.now()]
    await sleep(watchMs)
    const offMs = Math.abs(Date.now() - wall - (performance.now() - steady))
    if (offMs < 100) return well('The clock runs steadily')
    const words = `The clock was changed by ${Math.round(offMs)} ms during the check`
    return warning(words, 'Find out what sets it: two time services at once, or the host')
  },
  async records({ db }) {
    const ahead = await health.secondsAhead(await db())
    if (ahead < wrongMs / 1_000) return well('Nothing was recorded in the future')
    const words = `The newest event is ${duration(ahead)} in the future: the clock was set back`
    return warning(words, `${advice}; whatever is due at that time waits until then`)
  },
  async synchronized({ machine }) {
    const isKept = await services.isClockKept(machine)
    if (isKept === undefined) throw new Skip('timedatectl is not installed')
    if (isKept) return well('The clock is synchronized by NTP')
    return warning('The clock is not synchronized: it drifts by seconds per week', advice)
  },
}
