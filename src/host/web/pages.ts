// The pages that the panel itself puts before visitors.

/** What a suspended website shows; in a folder of root's, so that no owner can change it. */
export const suspendedPage = '/var/lib/panel/pages/suspended.html'

/** What a new website shows until its owner puts something of their own there. */
export const renderIndexPage = (): string =>
  page('This website is ready', 'Its owner has not put anything here yet.')

export const renderSuspendedPage = (): string =>
  page('This website is not available', 'Please try again later.')

const page = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
  body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 32rem }
</style>
<h1>${title}</h1>
<p>${text}</p>
</html>
`
