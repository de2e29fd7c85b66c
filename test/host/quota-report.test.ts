import t from 'tap'
import { parseLimits } from '../../src/host/accounts/linux-quota.ts'

t.test('the limits of each user, within them and beyond them', async t => {
  const report = `*** Report for user quotas on device /dev/vdb
Block grace time: 7days; Inode grace time: 7days
                        Block limits                File limits
User            used    soft    hard  grace    used  soft  hard  grace
----------------------------------------------------------------------
#0        --      20       0       0              2     0     0
#20000    --      12    1024    1024              5   110   110
#20001    +-    2048    1024    2048  6days       5   110   110
#20002    ++    2048    1024    2048  00:30     120   110   220  none
`
  t.strictSame(
    [...parseLimits(report)],
    [
      [0, '0 0 0 0'],
      [20_000, '1024 1024 110 110'],
      [20_001, '1024 2048 110 110'],
      [20_002, '1024 2048 110 220'],
    ],
  )
})
