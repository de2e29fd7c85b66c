import { runProcess } from '../../../src/process.ts'
import { startCourier } from '../../../src/courier/courier.ts'
import { courierOptions } from '../courier.ts'

// A courier as a process of its own: `courier.ts DATABASE_URL [STEP before|after]` kills itself
// with SIGKILL before or after that step of whatever delivery comes first.
const [databaseUrl, fatalStep, moment] = process.argv.slice(2)

await runProcess('courier', async () => {
  const courier = await startCourier(
    courierOptions(databaseUrl!, {
      observe: async (step, work) => {
        if (step === fatalStep && moment === 'before') process.kill(process.pid, 'SIGKILL')
        const result = await work()
        if (step === fatalStep) process.kill(process.pid, 'SIGKILL')
        return result
      },
    }),
  )
  process.stdout.write('started\n')
  return courier
})
