import type { Engine } from '../../core/engine.ts'
import type { Subscription } from '../../core/subscriptions/subscriptions.ts'
import {
  askPage,
  donePage,
  FIELD,
  invalidPage,
  managePage,
  SUBSCRIBE,
  UNSUBSCRIBE,
} from '../pages/subscription-pages.ts'
import type { OpenRoute, Reply } from '../route.ts'
import type { Visit } from '../visit.ts'

/** The wishes a page is for: what posting to it means when the form does not say otherwise. */
type Wish = typeof SUBSCRIBE | typeof UNSUBSCRIBE

/** The pages mails link to. Looking at one never changes anything: mail scanners and browsers look ahead. */
export const pageRoutes: readonly OpenRoute[] = [
  ...pagesAt('/unsubscribe/:token', 'Unsubscribe', (found) => askPage(UNSUBSCRIBE, found), UNSUBSCRIBE),
  ...pagesAt('/subscribe/:token', 'Subscribe', (found) => askPage(SUBSCRIBE, found), SUBSCRIBE),
  ...pagesAt('/manage/:token', 'Manage the subscription', managePage, undefined),
]

function pagesAt(
  path: string,
  what: string,
  show: (found: Subscription) => Reply,
  wish: Wish | undefined,
): readonly OpenRoute[] {
  const open = { path, access: 'open', errors: 'page', answers: [200] } as const
  return [
    {
      ...open,
      method: 'GET',
      summary: `${what}: the page`,
      async handle({ subscriptions }, visit) {
        const found = await subscriptions.look(visit.param('token'), visit.languages)
        return found ? show(found) : invalidPage(visit.languages)
      },
    },
    {
      ...open,
      method: 'POST',
      summary: `${what}: the page's button, and one-click (RFC 8058)`,
      async handle(engine, visit) {
        const found = await changed(engine, visit, wish)
        return found === undefined ? invalidPage(visit.languages) : found.wish ? donePage(found.now) : show(found.now)
      },
    },
  ]
}

/** Does what the form says. Undefined when the link is not valid. */
async function changed({ subscriptions }: Engine, visit: Visit, wish: Wish | undefined) {
  const token = visit.param('token')
  const wanted = wishOf(await visit.form()) ?? wish
  const now =
    wanted === undefined
      ? await subscriptions.look(token, visit.languages)
      : await subscriptions[wanted](token, visit.languages)
  return now && { wish: wanted, now }
}

/** RFC 8058, section 3.1: a mail client posts `List-Unsubscribe=One-Click`; that never subscribes anybody. */
function wishOf(form: URLSearchParams): Wish | undefined {
  if (form.has('List-Unsubscribe')) return UNSUBSCRIBE
  const said = form.get(FIELD)
  return said === SUBSCRIBE || said === UNSUBSCRIBE ? said : undefined
}
