import t from 'tap'
import { shortestInterval } from '../../src/model/cron-jobs/cron-interval.ts'
import { cronSchedule, describeSchedule } from '../../src/model/cron-jobs/cron-schedule.ts'

// The grammar of schedules, the form in which they are kept, and how pages put them into words.

const good: [given: string, kept: string, words: string][] = [
  ['* * * * *', '* * * * *', 'every minute'],
  [' */15  *\t* * * ', '*/15 * * * *', 'every 15 minutes'],
  ['05 03 * * *', '5 3 * * *', 'at 03:05 every day'],
  ['0 * * * *', '0 * * * *', 'every hour at minute 0'],
  ['10 */6 * * *', '10 */6 * * *', 'every 6 hours at minute 10'],
  ['*/10 */6 * * *', '*/10 */6 * * *', 'every 10 minutes, every 6 hours'],
  ['0,30 8-18/2 * * *', '0,30 8-18/2 * * *', 'at minutes 0 and 30, in hours 8-18/2'],
  ['0 4,16 * * *', '0 4,16 * * *', 'at 04:00 and 16:00 every day'],
  ['0 4 * * MON', '0 4 * * 1', 'at 04:00 on Mondays'],
  [
    '0 4 * * mon-FRI',
    '0 4 * * 1-5',
    'at 04:00 on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays',
  ],
  ['0 4 * * fri-sun', '0 4 * * 5-7', 'at 04:00 on Fridays, Saturdays and Sundays'],
  ['0 4 * * 7', '0 4 * * 7', 'at 04:00 on Sundays'],
  ['0 4 1 * *', '0 4 1 * *', 'at 04:00 on day 1 of the month'],
  ['0 4 13 * fri', '0 4 13 * 5', 'at 04:00 on day 13 of the month and on Fridays'],
  ['0 0 1 jan,Jul *', '0 0 1 1,7 *', 'at 00:00 on day 1 of the month in January and July'],
  ['0 0 29 2 *', '0 0 29 2 *', 'at 00:00 on day 29 of the month in February'],
  ['0 0 31 * *', '0 0 31 * *', 'at 00:00 on day 31 of the month'],
  ['0 0 30 2 mon', '0 0 30 2 1', 'at 00:00 on day 30 of the month and on Mondays in February'],
  ['@reboot', '@reboot', 'when the server has started'],
  ['@HOURLY', '0 * * * *', 'every hour at minute 0'],
  ['@daily', '0 0 * * *', 'at 00:00 every day'],
  ['@midnight', '0 0 * * *', 'at 00:00 every day'],
  ['@weekly', '0 0 * * 0', 'at 00:00 on Sundays'],
  ['@monthly', '0 0 1 * *', 'at 00:00 on day 1 of the month'],
  ['@yearly', '0 0 1 1 *', 'at 00:00 on day 1 of the month in January'],
  ['@annually', '0 0 1 1 *', 'at 00:00 on day 1 of the month in January'],
]

t.test('schedules of crontab(5) are kept in one form, and described in words', async t => {
  for (const [given, kept, words] of good) {
    t.equal(cronSchedule.parse(given), kept, given)
    t.equal(cronSchedule.parse(kept), kept, `${kept}, once more`)
    t.equal(describeSchedule(kept), words, given)
  }
})

const bad: [given: string, why: RegExp][] = [
  ['', /five fields/],
  ['* * * *', /five fields/],
  ['* * * * * *', /five fields/],
  ['* * * * *\n* * * * *', /five fields|allowed are/],
  ['* * * * \0', /as day of the week/],
  ['60 * * * *', /minute: it is 0 to 59/],
  ['* 24 * * *', /hour: it is 0 to 23/],
  ['* * 0 * *', /day of the month: it is 1 to 31/],
  ['* * * 13 *', /month: it is 1 to 12, or a name/],
  ['* * * * 8', /day of the week: it is 0 to 7, or a name/],
  ['-1 * * * *', /minute/],
  ['1.5 * * * *', /minute/],
  ['5/15 * * * *', /a step must follow/],
  ['*/0 * * * *', /a step must be 1 to 59/],
  ['*/60 * * * *', /a step must be 1 to 59/],
  ['*-5 * * * *', /allowed are/],
  ['30-10 * * * *', /must ascend/],
  ['1,,2 * * * *', /allowed are/],
  ['1, * * * *', /allowed are/],
  ['100 * * * *', /0 to 59/],
  ['* * * mon *', /month/],
  ['* * * * jan', /day of the week/],
  ['mon * * * *', /minute/],
  ['0 0 31 2,4,6 *', /never occurs/],
  ['0 0 30 feb *', /never occurs/],
  ['@often', /only as @reboot/],
  ['@', /only as/],
  [`${'1,'.repeat(150)}1 * * * *`, /at most 200/],
  ['* * * * * root rm', /five fields/],
  ['%d * * * *', /minute/],
  ['١ * * * *', /minute/],
]

t.test('an invalid schedule is refused with a reason', async t => {
  for (const [given, why] of bad) {
    const { success, error } = cronSchedule.safeParse(given)
    t.notOk(success, given)
    t.match(error?.issues[0]?.message, why, given)
  }
})

const day = 1_440
const intervals: [schedule: string, minutes: number][] = [
  ['* * * * *', 1],
  ['*/15 * * * *', 15],
  // From minute 56 to the full hour.
  ['*/7 * * * *', 4],
  ['0,1 3 * * *', 1],
  ['5,35 * * * *', 30],
  ['0 * * * *', 60],
  ['0 */5 * * *', 4 * 60],
  ['0 4,16 * * *', 12 * 60],
  ['0 0-8/4 * * *', 4 * 60],
  // Over midnight.
  ['58 23 * * *', day],
  ['0,59 0,23 * * *', 1],
  ['0,59 0,23 * * 1', 59],
  ['0,59 0,23 * * 1,2', 1],
  ['0 12 * * 6,7', day],
  ['0 12 * * 0,6', day],
  ['0 12 * * 1,3,5', Infinity],
  ['0 12 1,31 * *', day],
  ['0 12 1,31 1,3 *', Infinity],
  ['0 12 1,31 1,2 *', day],
  ['0 12 29 2 *', Infinity],
  // Either day is enough if both are given, so the 13th may follow a Friday.
  ['0 12 13 * 5', day],
  // Both are needed if one begins with an asterisk.
  ['0 12 */2 * 1-5', day],
  ['0 12 2-30/2 * */2', Infinity],
  ['@reboot', Infinity],
]

t.test('the shortest time between two starts is computed from a schedule', async t => {
  for (const [given, minutes] of intervals) {
    t.equal(shortestInterval(cronSchedule.parse(given)), minutes, given)
  }
})
