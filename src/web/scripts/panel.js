// What pages gain by a script: times in the reader's own zone or exactly in UTC, copying, and `/` for the search. All
// of them work without.

const units = [
  [60_000, 1_000, 's'],
  [3_600_000, 60_000, 'min'],
  [172_800_000, 3_600_000, 'h'],
  [Infinity, 86_400_000, 'days'],
]

function ago(at) {
  const ms = Date.now() - at
  if (Math.abs(ms) < 5_000) return 'now'
  const [, unit, word] = units.find(([most]) => Math.abs(ms) < most)
  const words = `${Math.round(Math.abs(ms) / unit)} ${word}`
  return ms > 0 ? `${words} ago` : `in ${words}`
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const full = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
})

const clock = new Intl.DateTimeFormat('en-GB', {
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

function showCopying() {
  for (const button of document.querySelectorAll('[data-copy][hidden]')) button.hidden = false
}

function showSwitch() {
  for (const button of document.querySelectorAll('[data-times]')) {
    button.hidden = false
    button.querySelector('span').textContent = isUtc ? 'Show times as usual' : 'Show times in UTC'
  }
}

function refresh() {
  showTimes()
  showSwitch()
  showCopying()
}

refresh()
setInterval(showTimes, 1_000)
document.addEventListener('htmx:after:swap', refresh)

document.addEventListener('click', async event => {
  const button = event.target.closest?.('[data-copy]')
  if (!button) return
  await navigator.clipboard.writeText(button.dataset.copy)
  const words = button.querySelector('span')
  words.textContent = 'Copied'
  setTimeout(() => (words.textContent = 'Copy'), 2_000)
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

// A form with a file shows how much of it is sent, and the page that answers it takes its place.
document.addEventListener('submit', event => {
  const form = event.target.closest?.('form[data-upload]')
  if (!form) return
  const input = form.querySelector('input[type=file]')
  const isLarge = input.files[0]?.size > input.dataset.mostMb * 1_048_576
  form.querySelector('.error').hidden = !isLarge
  event.preventDefault()
  if (isLarge) return
  const shown = form.querySelector('[data-progress]')
  const [bar, words] = [shown.querySelector('progress'), shown.querySelector('span')]
  const sent = new XMLHttpRequest()
  const tell = (percent, text) => {
    bar.value = percent
    words.textContent = text
  }
  const failed = () => {
    form.querySelector('button').disabled = false
    tell(0, 'It was not sent to its end. Try again.')
  }
  sent.upload.addEventListener('progress', ({ loaded, total }) => {
    const percent = Math.floor((100 * loaded) / total)
    tell(percent, percent < 100 ? `${percent} % sent` : 'All is sent, and is being carried out.')
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
  tell(0, '0 % sent')
  sent.send(data)
})
