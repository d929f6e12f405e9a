import type { Engine } from '../../core/engine.ts'
import type { Subscription } from '../../core/subscriptions/subscriptions.ts'
import {
  askPage,
  donePage,
  FIELD,
  gonePage,
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
      async handle(engine, visit) {
        const found = await engine.subscriptions.look(visit.param('token'), visit.languages)
        return found ? show(found) : without(engine, visit, wish)
      },
    },
    {
      ...open,
      method: 'POST',
      summary: `${what}: the page's button, and one-click (RFC 8058)`,
      async handle(engine, visit) {
        const wanted = wishOf(await visit.form()) ?? wish
        const now = await changed(engine, visit, wanted)
        if (now === undefined) return without(engine, visit, wanted)
        return wanted ? donePage(now) : show(now)
      },
    },
  ]
}

/** Does what is wished. Undefined when there is nobody to do it for. */
function changed({ subscriptions }: Engine, visit: Visit, wish: Wish | undefined) {
  return subscriptions[wish ?? 'look'](visit.param('token'), visit.languages)
}

/** For a link that is not valid, or whose contact was deleted. */
async function without({ subscriptions }: Engine, visit: Visit, wish: Wish | undefined): Promise<Reply> {
  const deleted = await subscriptions.deleted(visit.param('token'), visit.languages)
  return deleted ? gonePage(deleted, wish === UNSUBSCRIBE) : invalidPage(visit.languages)
}

/** RFC 8058, section 3.1: a mail client posts `List-Unsubscribe=One-Click`; that never subscribes anybody. */
function wishOf(form: URLSearchParams): Wish | undefined {
  if (form.has('List-Unsubscribe')) return UNSUBSCRIBE
  const said = form.get(FIELD)
  return said === SUBSCRIBE || said === UNSUBSCRIBE ? said : undefined
}
