/* Runs in each page of the dashboard that is walked, before anything else of it: see walk.ts. */
{
  const sent = []
  let pending = 0
  let refused = ''
  let typed = []
  const real = window.fetch

  /** The refusals: of a field that was sent, of the server itself, and of the network. */
  const REFUSALS = {
    field: (first) => [
      422,
      {
        code: 'VALIDATION_ERROR',
        message: 'The request is not valid.',
        errors: [{ field: first, code: 'INVALID', message: 'is required' }],
      },
    ],
    server: () => [500, { code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong.', requestId: 'req_1' }],
  }

  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { method } = request
    const { pathname } = new URL(request.url)
    pending++
    try {
      // who else is on the page is asked by the page itself, and by no button
      const isOwn = pathname.endsWith('/presence')
      const isChange = (method !== 'GET' && !isOwn) || pathname.endsWith('/auth/logout')
      if (refused !== '' && isChange) {
        sent.push({ method, path: pathname, status: refused })
        if (refused === 'network') throw new TypeError('Failed to fetch')
        const body = await request.json().catch(() => ({}))
        const [status, error] = REFUSALS[refused](Object.keys(body)[0] ?? 'none')
        return new Response(JSON.stringify({ error }), { status, headers: { 'content-type': 'application/json' } })
      }
      // while the network is away nothing is answered, so that the page does not take it for back
      if (refused === 'network') throw new TypeError('Failed to fetch')
      const answer = await real(request)
      const why = answer.status < 400 ? '' : await answer.clone().text()
      sent.push({ method, path: pathname, status: answer.status, why })
      return answer
    } finally {
      // what the page does with the answer comes first
      setTimeout(() => pending--)
    }
  }
  // waiting before another try, or before what was typed is saved, takes no time where requests are refused
  const timer = window.setTimeout
  window.setTimeout = (work, delay = 0, ...rest) =>
    timer(work, refused !== '' && delay >= 900 ? delay / 50 : delay, ...rest)
  window.open = () => null
  window.print = () => {}

  const shown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0
  // a bar that moves in a message shows what is under way
  const BUSY =
    '[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root, [data-loading="true"], [role="status"] [data-animated]'
  const busy = () => [...document.querySelectorAll(BUSY)].find(shown)
  const turn = () => new Promise((resolve) => setTimeout(resolve, 8))

  /** Waits until nothing is asked for, nothing moves and nothing is shown as busy: answers what never came to an end. */
  const idle = async (patience = 6000) => {
    const end = performance.now() + patience
    for (let calm = 0; calm < (refused === '' ? 4 : 8); ) {
      await turn()
      const isBusy = pending > 0 || busy() !== undefined
      calm = isBusy ? 0 : calm + 1
      if (performance.now() > end) return (busy()?.outerHTML ?? `${pending} requests`).slice(0, 200)
    }
    return ''
  }

  /** How high it lies above the page. */
  const heightOf = (element) => {
    const height = element === null ? 0 : Number.parseInt(getComputedStyle(element).zIndex, 10)
    return Number.isNaN(height) ? heightOf(element.parentElement) : height
  }

  /** What lies on top: an open menu, else the highest dialog, else the page. */
  const layer = () => {
    const menus = [...document.querySelectorAll('[role="menu"]')].filter(shown)
    // a question may be in the document before the panel that asks it
    const dialogs = [...document.querySelectorAll('[role="dialog"]')]
      .filter(shown)
      .sort((a, b) => heightOf(a) - heightOf(b))
    return menus.at(-1) ?? dialogs.at(-1) ?? document.body
  }
  const titleOf = (top) => {
    if (top === document.body) return ''
    const by = document.getElementById(top.getAttribute('aria-labelledby'))
    return `${top.getAttribute('role')} ${top.getAttribute('aria-label') ?? by?.innerText ?? ''}`
  }

  const PRESSED = 'button, a[href], [role="menuitem"], [role="tab"], input[type="checkbox"], input[type="radio"]'
  const nameOf = (element) => {
    const by = (element.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.innerText ?? '')
    const label = element.labels?.[0]?.innerText
    return (
      element.getAttribute('aria-label') ??
      (by.join(' ').trim() || label || element.innerText || element.title || element.querySelector('img')?.alt || '')
    ).trim()
  }

  /** Everything in the top layer that can be pressed; `of` finds it again. */
  let found = []
  const pressables = () => {
    const top = layer()
    found = [...top.querySelectorAll(PRESSED)].filter(
      (each) =>
        shown(each.type === 'checkbox' || each.type === 'radio' ? each.parentElement : each) &&
        !each.disabled &&
        !each.closest('[inert], [aria-hidden="true"]') &&
        each.dataset.disabled === undefined &&
        each.getAttribute('aria-disabled') !== 'true',
    )
    return {
      url: location.pathname + location.search,
      layer: titleOf(top),
      heading: document.querySelector('main h1')?.innerText ?? '',
      all: found.map((each) => {
        const row = each.closest('tbody tr')
        const inMain = top !== document.body || each.closest('main') !== null
        const href = each.tagName === 'A' ? each.getAttribute('href') : undefined
        return {
          name: nameOf(each),
          mark: (each.type === 'checkbox' || each.type === 'radio' ? each.closest('[data-mark]') : each)?.dataset.mark,
          tag:
            each.getAttribute('role') ??
            (each.type === 'checkbox' || each.type === 'radio' ? each.type : each.tagName.toLowerCase()),
          row: row === null ? undefined : [...row.parentElement.children].indexOf(row),
          rowText: row?.innerText,
          isFrame: !inMain,
          isHead: each.closest('main header') !== null,
          isEditor: each.closest('.ProseMirror, .cm-editor') !== null,
          isNotice: each.closest('[role="status"] .mantine-Notification-root') !== null,
          isSubmit: each.type === 'submit',
          isMenu: each.getAttribute('aria-haspopup') === 'menu',
          isButton:
            each.tagName !== 'A' ||
            /mantine-(Button|ActionIcon)-root|menuitem/.test(`${each.className} ${each.getAttribute('role')}`),
          href:
            href === undefined || each.target === '_blank' || each.hasAttribute('download')
              ? undefined
              : new URL(href, document.baseURI).href,
          isOutside: each.target === '_blank' || each.hasAttribute('download'),
        }
      }),
    }
  }

  const set = (input, value) => {
    const kind = input.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(input, value)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }

  /** Writes into a field instead of what it has. */
  const write = async (selector, text) => {
    set(document.querySelector(selector), text)
    await idle(1500)
  }

  /** Fills what is empty in the forms of the top layer, by `values`, each a pattern of names and labels and what belongs there. */
  const fill = async (values) => {
    typed = []
    const top = layer()
    if (top.getAttribute('role') === 'menu') return
    const scope = top === document.body ? [...document.querySelectorAll('main form')] : [top]
    for (const form of scope) {
      for (const input of form.querySelectorAll('input, textarea')) {
        if (!shown(input) || input.disabled || input.readOnly) continue
        if (['checkbox', 'radio', 'hidden'].includes(input.type)) continue
        if (input.getAttribute('aria-haspopup') === 'listbox') continue
        if (input.value !== '') continue
        const what = `${input.name} ${nameOf(input)} ${input.type}`
        const [, value] = ['numeric', 'decimal'].includes(input.inputMode)
          ? ['', '5']
          : (values.find(([pattern]) => new RegExp(pattern, 'i').test(what)) ?? ['', 'Probe'])
        if (value === '') continue
        set(input, value)
        typed.push(value)
      }
      for (const input of form.querySelectorAll('input[aria-haspopup="listbox"]')) {
        if (!shown(input) || input.disabled || input.value !== '') continue
        input.click()
        input.focus()
        await turn()
        await idle(1000)
        const list = document.getElementById(input.getAttribute('aria-controls'))
        const option = [...(list?.querySelectorAll('[role="option"]') ?? [])].find(
          (each) => each.getAttribute('aria-disabled') !== 'true',
        )
        option?.click()
        input.blur()
        await turn()
      }
    }
    await idle(1500)
  }

  /** Changes a form that holds nothing new: what it says may be saved again. */
  const alter = () => {
    const top = layer()
    for (const form of top === document.body ? document.querySelectorAll('main form') : top.querySelectorAll('form')) {
      if (![...form.querySelectorAll('button[type="submit"]')].some((each) => each.disabled)) continue
      const input = [...form.querySelectorAll('input[type="text"], input:not([type]), textarea')].find(
        (each) =>
          shown(each) &&
          !each.readOnly &&
          !each.disabled &&
          each.getAttribute('aria-haspopup') === null &&
          !['numeric', 'decimal'].includes(each.inputMode) &&
          // an address with more behind it is none
          !/@|:\/\//.test(each.value),
      )
      if (input === undefined) continue
      const at = typed.indexOf(input.value)
      if (at >= 0) typed.splice(at, 1)
      const value = `${input.value.replace(/( x)+$/, '') || 'Probe'} x${input.value.endsWith(' x') ? 'x' : ''}`
      set(input, value)
      typed.push(value)
    }
  }

  const MESSAGES =
    '[role="alert"], .mantine-Notification-root, .mantine-InputWrapper-error, [aria-invalid="true"], [role="status"]'
  const messages = () =>
    [...document.querySelectorAll(MESSAGES)]
      .filter(shown)
      .map((each) => each.innerText || each.getAttribute('aria-invalid') || '')
      .filter((text) => text !== '')
  const tabsOpen = () =>
    [...document.querySelectorAll('[role="tab"][aria-selected="true"]')].map((each) => each.innerText).join('|')
  const valuesShown = () => [...document.querySelectorAll('input, textarea')].map(({ value }) => value)

  const press = async (at) => {
    const element = found[at]
    sent.length = 0
    const before = messages()
    const place = location.href
    const above = titleOf(layer())
    const tabs = tabsOpen()
    if (element.type === 'file') return undefined
    // what leaves the page would end the walk
    const stay = (event) => {
      const link = event.target.closest?.('a[href]')
      if (
        link &&
        (link.target === '_blank' ||
          link.hasAttribute('download') ||
          new URL(link.href).origin !== location.origin ||
          !link.href.includes('/app/'))
      )
        event.preventDefault()
    }
    addEventListener('click', stay)
    element.focus?.()
    element.click()
    let stuck = await idle()
    // menus and questions are loaded when they are first opened
    const isMenu = element.getAttribute('aria-haspopup') === 'menu'
    const isNothing = () => sent.length === 0 && titleOf(layer()) === above && location.href === place
    for (let i = 0; i < (isMenu ? 250 : 12) && isNothing(); i++) await turn()
    if (stuck === '') stuck = await idle()
    removeEventListener('click', stay)
    const after = messages()
    const values = valuesShown()
    return {
      stuck,
      sent: [...sent],
      url: location.pathname + location.search,
      layer: titleOf(layer()),
      // on another page, such as the next step of a campaign, the same words are news
      isNews:
        after.length > before.length ||
        after.some((text) => !before.includes(text)) ||
        (after.length > 0 && location.href !== place),
      messages: after,
      // what was typed on another tab is there, and not seen
      lost: tabsOpen() === tabs ? typed.filter((value) => !values.includes(value)) : [],
    }
  }

  const closeNotices = async () => {
    for (const each of document.querySelectorAll('.mantine-Notification-closeButton')) each.click()
    await turn()
  }

  /** Opens a page from wherever one is, leaves what is unsaved, and closes what lies above it. */
  const open = async (url) => {
    refused = ''
    sent.length = 0
    await closeNotices()
    const project = /\/app\/p\/[^/]+/.exec(location.pathname)?.[0] ?? '/app'
    history.pushState(null, '', `${project}/nowhere`)
    await turn()
    await turn()
    for (let i = 0; i < 4 && layer() !== document.body; i++) {
      const top = layer()
      const close = top.querySelector('.mantine-Modal-close, .mantine-Drawer-close')
      if (close) close.click()
      else
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }),
        )
      await turn()
      await idle(1500)
    }
    history.pushState(null, '', url)
    const stuck = await idle()
    return { stuck, sent: sent.splice(0) }
  }

  // those of a mail that is drawn lead elsewhere
  const links = () =>
    [...document.querySelectorAll('main a[href]')]
      .filter((each) => each.origin === location.origin && each.closest('.ProseMirror') === null)
      .map((each) => each.href)

  /** All texts in sight. */
  const texts = () => {
    const all = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      const text = node.data.trim()
      if (text !== '' && shown(node.parentElement) && !node.parentElement.closest('script, style')) all.push(text)
    }
    for (const each of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (!shown(each)) continue
      for (const name of ['aria-label', 'title', 'placeholder'])
        if (each.hasAttribute(name)) all.push(each.getAttribute(name))
    }
    return all
  }

  const refuse = (by) => {
    refused = by
  }
  window.walk = { idle, pressables, fill, alter, write, press, open, links, texts, refuse, closeNotices, messages }
}
