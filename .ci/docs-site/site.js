// The search and the menu of the site. The index comes as a script, since pages that are opened from the disk may fetch nothing.
const root = document.body.dataset.root ?? ''
const field = document.getElementById('search')
const results = document.getElementById('results')
const menu = document.getElementById('menu')
let search

/** A page that tells how something works comes before the notes that tell of it. */
function boostDocument(_id, _term, { address }) {
  return address.startsWith('CHANGELOG') ? 0.1 : 1
}

function found(text) {
  const { options, index } = globalThis.searchIndex
  search ??= globalThis.MiniSearch.loadJSON(index, options)
  return search
    .search(text, { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, boostDocument, combineWith: 'AND' })
    .slice(0, 12)
}

function show() {
  const text = field.value.trim()
  results.replaceChildren()
  results.hidden = text === ''
  if (text === '') return
  const all = found(text)
  for (const { address, page, title, start } of all) {
    const link = document.createElement('a')
    link.href = root + address
    const name = document.createElement('strong')
    name.textContent = title === page ? page : `${page}: ${title}`
    const words = document.createElement('span')
    words.textContent = start
    link.append(name, words)
    results.append(link)
  }
  if (all.length > 0) return
  const none = document.createElement('p')
  none.textContent = 'Nothing is found.'
  results.append(none)
}

field.addEventListener('input', show)
field.addEventListener('focus', show)
document.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault()
    field.focus()
  } else if (event.key === 'Escape') {
    results.hidden = true
    field.blur()
  } else if (event.key === 'Enter' && document.activeElement === field) links[0]?.click()
  else if (event.key === 'ArrowDown' && !results.hidden) {
    event.preventDefault()
    links[Math.min(at + 1, links.length - 1)]?.focus()
  } else if (event.key === 'ArrowUp' && at >= 0) {
    event.preventDefault()
    ;(links[at - 1] ?? field).focus()
  }
})
document.addEventListener('click', ({ target }) => {
  if (!(target instanceof Element) || !target.closest('.search') || target.closest('#results a')) results.hidden = true
})
menu.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('open')
  menu.setAttribute('aria-expanded', String(isOpen))
})
// not scrollIntoView, which would scroll the page away from the place its address names
const here = document.querySelector('#pages [aria-current]')
if (here) here.closest('nav').scrollTop = here.offsetTop - window.innerHeight / 2
