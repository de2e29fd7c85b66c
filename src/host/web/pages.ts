// The panel's own pages for visitors of websites.

/** The page of suspended websites; in a folder of root's, so that no account can change it. */
export const suspendedPage = '/var/lib/panel/pages/suspended.html'

/** Renders the page of a new website, until its owner replaces it. */
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
