// Keeps what was typed into a form that may not have been sent, as after the session has ended or
// the network was lost: the same form shows it again, in the same tab and to the same person. A
// customer and an operator who is signed in as the customer are two. Passwords are never kept.

function inTab(work) {
  try {
    return work(sessionStorage)
  } catch {
    return undefined
  }
}

// Its key is kept too: a form whose answer was lost does its work once.
const fieldsOf = form => [
  ...form.querySelectorAll('[data-in-call]:not([data-unkept]), input[name=key]'),
]

document.addEventListener('submit', ({ target }) => {
  // A form with a field of this name has that as its property.
  if (!target.getAttribute('id')?.startsWith('form-')) return
  const fields = fieldsOf(target).map(({ name, value, checked }) => ({ name, value, checked }))
  const { user } = document.body.dataset
  const action = target.getAttribute('action')
  const draft = { user, action, fields, page: location.pathname, at: Date.now() }
  inTab(storage => storage.setItem('draft', JSON.stringify(draft)))
})

const keptMs = 3_600_000

// The page that follows upon the one with the form is its answer: it was sent. From elsewhere the
// form is opened again, as after signing in.
function isAnswered({ page, at }) {
  const [{ type }] = performance.getEntriesByType('navigation')
  const before = document.referrer && new URL(document.referrer).pathname
  return (type === 'navigate' && before === page) || Date.now() - at > keptMs
}

function fillIn(form, fields) {
  const inputs = fieldsOf(form)
  if (inputs.some(({ name }, index) => name !== fields[index]?.name)) return
  inputs.forEach((input, index) => {
    const { value, checked } = fields[index]
    if (input.type === 'checkbox') input.checked = checked
    else input.value = value
  })
  const notice = document.createElement('div')
  notice.className = 'notice'
  notice.setAttribute('role', 'status')
  notice.textContent = JSON.parse(document.body.dataset.texts).entriesRestored
  form.prepend(notice)
}

function restore() {
  const draft = inTab(storage => JSON.parse(storage.getItem('draft')))
  const { user } = document.body.dataset
  if (!draft || user === undefined) return
  const form = [...document.querySelectorAll('form[id^=form-]')].find(
    found => found.getAttribute('action') === draft.action,
  )
  const isOver = user !== draft.user || isAnswered(draft)
  if (isOver || form) inTab(storage => storage.removeItem('draft'))
  // A form that the server has refused shows the typed values itself.
  if (isOver || !form || form.querySelector('.notice.bad, [aria-invalid]')) return
  fillIn(form, draft.fields)
}

restore()
