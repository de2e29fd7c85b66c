// Lines of a website's logs, from the fields of a line of nginx's access log
// (src/host/web/access-log-format.ts).

const fields =
  /^([0-9]{1,13}) ([0-9a-f.:]{2,45}|unix:) "([^"]*)" "([^"]*)" "([^"]*)" "([^"]*)" "([^"]*)"$/

export type RequestLines = { access: string; error: string | undefined }

/**
 * Returns the line of a request in the combined format, and the line of the error log if it failed;
 * undefined if these are not its fields.
 */
export function toRequestLines(
  seconds: number,
  status: string,
  rest: string,
): RequestLines | undefined {
  const [, bytes, address, user = '', request, ...others] = fields.exec(rest) ?? []
  if (bytes === undefined) return undefined
  const [referrer, agent, answeredAfter] = others.map(orDash)
  const time = new Date(seconds * 1_000)
  // A name with spaces would shift all fields.
  const name = orDash(user).replaceAll(' ', '_')
  const access =
    `${address} - ${name} [${commonTime(time)}] "${request}" ` +
    `${status} ${bytes} "${referrer}" "${agent}"\n`
  const cause = causeOf(status, answeredAfter !== '-')
  const from = referrer === '-' ? '' : `, referrer: "${referrer}"`
  const error =
    cause === undefined
      ? undefined
      : `${errorTime(time)} [error] ${status} ${address} "${request}": ${cause}${from}\n`
  return { access, error }
}

const orDash = (text: string): string => (text === '' ? '-' : text)

// nginx answers these itself, unless a script does.
const causes: Record<string, string> = {
  403: 'the folder has no index file, an .htaccess closes it, or the web server may not read it',
  404: 'no file that the web server may read, and no application, has this path',
  405: 'files are only read',
  413: 'the request is larger than the web server accepts',
  500: 'the web server failed',
  502: 'PHP failed: its log may say why',
  503: 'the website is suspended, or its PHP is not installed',
  504: 'the script took longer than its package allows',
}

function causeOf(status: string, isByScript: boolean): string | undefined {
  if (!(status in causes) && !status.startsWith('5')) return undefined
  return isByScript ? 'a script answered so' : (causes[status] ?? 'the web server failed')
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** 26/Nov/2026:22:14:03 +0000 */
function commonTime(time: Date): string {
  const [date = '', clock = ''] = time.toISOString().split(/[T.]/)
  const [year, month, day] = date.split('-')
  return `${day}/${months[Number(month) - 1]}/${year}:${clock} +0000`
}

/** 2026/11/26 22:14:03, in UTC, as nginx's own error log has it. */
const errorTime = (time: Date): string =>
  time.toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '/')
