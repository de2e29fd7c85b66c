// Adds comforts to pages: times in the reader's own zone or exactly in UTC, copying, generating and
// showing passwords, and `/` for the search. All pages work without it.

// In the language of the page.
const texts = JSON.parse(document.body.dataset.texts)

const units = [
  [60_000, 1_000, texts.seconds],
  [3_600_000, 60_000, texts.minutes],
  [172_800_000, 3_600_000, texts.hours],
  [Infinity, 86_400_000, texts.days],
]

function ago(at) {
  const ms = Date.now() - at
  if (Math.abs(ms) < 5_000) return texts.now
  const [, unit, words] = units.find(([most]) => Math.abs(ms) < most)
  const time = words.replace('{n}', Math.round(Math.abs(ms) / unit))
  return (ms > 0 ? texts.ago : texts.in).replace('{time}', time)
}

const day = new Intl.DateTimeFormat(texts.locale, {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const full = new Intl.DateTimeFormat(texts.locale, {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
})

const clock = new Intl.DateTimeFormat(texts.locale, {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
})
const formats = { day, clock }

const utc = at => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

// A browser may keep nothing, and says so by an error.
function kept(work) {
  try {
    return work(localStorage)
  } catch {
    return undefined
  }
}

let isUtc = kept(storage => storage.getItem('times')) === 'utc'

function showTimes() {
  for (const element of document.querySelectorAll('time[datetime]')) {
    const at = new Date(element.dateTime)
    const { as } = element.dataset
    const own = as === 'ago' ? ago(at) : (formats[as] ?? full).format(at)
    const words = isUtc ? utc(at) : own
    if (element.textContent !== words) element.textContent = words
  }
}

const helpers = '[data-copy][hidden], [data-reveal][hidden], [data-generate][hidden]'

function showHelpers() {
  for (const button of document.querySelectorAll(helpers)) button.hidden = false
}

// Neither 0 and O nor 1, l and I, and nothing that a configuration file would have to quote.
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789'

// 20 of 55 characters: 115 bits. Bytes that would favour the first characters are drawn again.
function newPassword() {
  const most = 256 - (256 % letters.length)
  let password = ''
  while (password.length < 20) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < most) password += letters[byte % letters.length]
  }
  return password
}

function reveal(button, isShown) {
  document.getElementById(button.dataset.reveal).type = isShown ? 'text' : 'password'
  button.setAttribute('aria-pressed', isShown)
  button.firstChild.data = isShown ? texts.hide : texts.show
}

document.addEventListener('click', event => {
  const button = event.target.closest?.('[data-reveal], [data-generate]')
  if (!button) return
  const { reveal: own, generate } = button.dataset
  if (own) return reveal(button, button.getAttribute('aria-pressed') !== 'true')
  document.getElementById(generate).value = newPassword()
  reveal(document.querySelector(`[data-reveal="${generate}"]`), true)
})

// Browsers remember what is sent in a text field, and a password must not be.
document.addEventListener('submit', ({ target }) => {
  for (const button of target.querySelectorAll('[data-reveal]')) reveal(button, false)
})

function showSwitch() {
  for (const button of document.querySelectorAll('[data-times]')) {
    button.hidden = false
    const words = isUtc ? texts.showTimesAsUsual : texts.showTimesUtc
    button.querySelector('span').textContent = words
  }
}

function refresh() {
  showTimes()
  showSwitch()
  showHelpers()
}

refresh()
setInterval(showTimes, 1_000)

// Parts that refresh themselves get only what has changed: the server answers 304 to an ETag that
// still holds.
const etags = new Map()
const isPolled = ({ sourceElement }) =>
  sourceElement.getAttribute('hx-trigger')?.startsWith('every ') === true

document.addEventListener('htmx:before:request', ({ detail: { ctx } }) => {
  if (isPolled(ctx)) ctx.request.headers['If-None-Match'] = etags.get(ctx.target.id) ?? 'none'
})
document.addEventListener('htmx:before:response', ({ detail: { ctx } }) => {
  const etag = ctx.response.headers.get('etag')
  if (isPolled(ctx) && etag !== null) etags.set(ctx.target.id, etag)
})

// A part that refreshes itself sums up its state in a sentence (data-says). A screen reader hears
// it where it has changed, and not while a list stays as it is.
const heard = new Map()

function announce() {
  for (const { id, dataset } of document.querySelectorAll('[data-says]')) {
    const isNew = heard.has(id) && heard.get(id) !== dataset.says
    heard.set(id, dataset.says)
    if (isNew) document.querySelector('[data-announcer]').textContent = dataset.says
  }
}

announce()
document.addEventListener('htmx:after:swap', () => {
  refresh()
  announce()
})

document.addEventListener('click', async event => {
  const button = event.target.closest?.('[data-copy]')
  if (!button) return
  const from = button.dataset.copyFrom
  const text = from ? document.getElementById(from).value : button.dataset.copy
  await navigator.clipboard.writeText(text)
  const words = button.querySelector('span')
  words.textContent = texts.copied
  setTimeout(() => (words.textContent = texts.copy), 2_000)
})

document.addEventListener('click', event => {
  if (!event.target.closest?.('[data-times]')) return
  isUtc = !isUtc
  kept(storage => storage.setItem('times', isUtc ? 'utc' : ''))
  refresh()
})

document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest('input, textarea, select')) return
  const search = document.querySelector('[data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
  search.select()
})

// Places that share a document, which shows one of them: a browser that goes back to the other has
// to fetch it.
const fetched = { isFetched: true }
addEventListener('popstate', ({ state }) => {
  if (state?.isFetched) location.reload()
})

const sentWords = percent => texts.percentSent.replace('{n}', percent)

// A form with a file shows how much of it is sent, and the page that answers it takes its place.
document.addEventListener('submit', event => {
  const form = event.target.closest?.('form[data-upload]')
  if (!form) return
  const input = form.querySelector('input[type=file]')
  const isLarge = input.files[0]?.size > input.dataset.maxMb * 1_048_576
  form.querySelector('.error').hidden = !isLarge
  event.preventDefault()
  if (isLarge) return
  const shown = form.querySelector('[data-progress]')
  const [bar, words] = [shown.querySelector('progress'), shown.querySelector('span')]
  const sent = new XMLHttpRequest()
  const report = (percent, text) => {
    bar.value = percent
    words.textContent = text
  }
  const failed = () => {
    form.querySelector('button').disabled = false
    report(0, texts.notSent)
  }
  sent.upload.addEventListener('progress', ({ loaded, total }) => {
    const percent = Math.floor((100 * loaded) / total)
    report(percent, percent < 100 ? sentWords(percent) : texts.allSent)
  })
  sent.addEventListener('error', failed)
  sent.addEventListener('load', () => {
    const page = new DOMParser().parseFromString(sent.responseText, 'text/html')
    document.title = page.title
    document.body.replaceWith(page.body)
    const address = sent.responseURL.replace(/\?token=.*/, '')
    if (address !== location.href) {
      history.replaceState(fetched, '')
      history.pushState(fetched, '', address)
    }
    refresh()
    window.htmx?.process(document.body)
  })
  sent.open('POST', form.action)
  // Read before the button is off, which takes nothing from it.
  const data = new FormData(form)
  form.querySelector('button').disabled = true
  shown.hidden = false
  report(0, sentWords(0))
  sent.send(data)
})

// One box ticks those of its form on this page; without a script each is ticked by hand.
function showSelectAll() {
  for (const label of document.querySelectorAll('[data-select-all][hidden]')) label.hidden = false
}

showSelectAll()
document.addEventListener('change', ({ target }) => {
  const form = target.closest('[data-select-all]')?.dataset.selectAll
  if (!form) return
  const boxes = document.querySelectorAll(`input[type=checkbox][form="${form}"]`)
  for (const box of boxes) box.checked = target.checked
})
