// Suggests what a search finds while it is typed: a combobox with a list (ARIA Authoring Practices).
// Without it, the form leads to the page of results.

const input = document.querySelector('[data-search]')
const list = document.getElementById('suggestions')
const status = document.getElementById('suggestions-status')

// Less than a person notices, and more than between two keys.
const pauseMs = 120

const texts = JSON.parse(document.body.dataset.texts)
const plurals = new Intl.PluralRules(texts.locale)

let timer
let running
let found = []
let chosen = -1

function close() {
  clearTimeout(timer)
  running?.abort()
  found = []
  chosen = -1
  list.hidden = true
  list.replaceChildren()
  input.setAttribute('aria-expanded', 'false')
  input.removeAttribute('aria-activedescendant')
}

function choose(index) {
  chosen = index
  for (const [at, option] of [...list.children].entries()) {
    option.setAttribute('aria-selected', String(at === index))
    if (at === index) option.scrollIntoView({ block: 'nearest' })
  }
  if (index < 0) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', `suggestion-${index}`)
}

function part(name, text) {
  const element = document.createElement('span')
  element.className = name
  element.textContent = text
  return element
}

const kindOf = (kind, of) => texts.kindOf.replace('{kind}', () => kind).replace('{of}', () => of)

function optionOf({ kind, name, of }, index) {
  const option = document.createElement('li')
  option.id = `suggestion-${index}`
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', 'false')
  option.append(part('name', name), ' ', part('quiet', of ? kindOf(kind, of) : kind))
  return option
}

function show(suggestions) {
  found = suggestions
  chosen = -1
  list.replaceChildren(...found.map(optionOf))
  list.hidden = found.length === 0
  input.setAttribute('aria-expanded', String(found.length > 0))
  input.removeAttribute('aria-activedescendant')
  const words = texts.suggestions[plurals.select(found.length)].replace('{n}', found.length)
  status.textContent = found.length === 0 ? texts.noSuggestions : words
}

async function ask() {
  const q = input.value.trim()
  if (q === '') return close()
  running?.abort()
  running = new AbortController()
  const { signal } = running
  try {
    const address = `${input.form.getAttribute('action')}.json?${new URLSearchParams({ q })}`
    const answer = await fetch(address, { signal })
    // Signed out meanwhile, it is a page to sign in.
    if (!answer.ok || !/json/.test(answer.headers.get('content-type'))) return close()
    const suggestions = await answer.json()
    if (!signal.aborted) show(suggestions)
  } catch (error) {
    // Without a network there are no suggestions, and the form says why.
    if (error.name !== 'AbortError') close()
  }
}

const keys = {
  ArrowDown: () => choose(chosen + 1 < found.length ? chosen + 1 : -1),
  ArrowUp: () => choose(chosen >= 0 ? chosen - 1 : found.length - 1),
  Enter: () => location.assign(found[chosen].address),
  Escape: close,
}

function begin() {
  const popup = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': list.id }
  for (const [name, value] of Object.entries(popup)) input.setAttribute(name, value)
  input.setAttribute('aria-expanded', 'false')
  input.setAttribute('autocomplete', 'off')
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(ask, pauseMs)
  })
  input.addEventListener('keydown', event => {
    const isForInput = event.key === 'Enter' && chosen < 0
    if (list.hidden || isForInput || event.isComposing || !(event.key in keys)) return
    event.preventDefault()
    keys[event.key]()
  })
  input.addEventListener('blur', close)
  // Pressing an option must not take the focus, which would close the list.
  list.addEventListener('mousedown', event => event.preventDefault())
  list.addEventListener('click', event => {
    const option = event.target.closest('[role=option]')
    if (option) location.assign(found[[...list.children].indexOf(option)].address)
  })
}

if (input && list) begin()
