import type { Engine } from '../../core/engine.ts'
import type { Subscription } from '../../core/subscriptions/subscriptions.ts'
import { TRACKING_CONSENTS, type TrackingConsent } from '../../core/values/tracking-consent.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import {
  askPage,
  donePage,
  FIELD,
  gonePage,
  invalidPage,
  managePage,
  SUBSCRIBE,
  TRACKING_FIELD,
  UNSUBSCRIBE,
} from '../pages/subscription-pages.ts'
import { visitorOf } from './tracking.ts'

/** What a page is for, and what posting to it means unless the form says otherwise. */
type Wish = typeof SUBSCRIBE | typeof UNSUBSCRIBE

/**
 * The pages that mails link to. Opening one never changes anything, since mail scanners and browsers prefetch links.
 */
export const pageRoutes: readonly OpenRoute[] = [
  ...pagesAt('/unsubscribe/:token', 'unsubscribe', (found) => askPage(UNSUBSCRIBE, found), UNSUBSCRIBE),
  ...pagesAt('/subscribe/:token', 'subscribe', (found) => askPage(SUBSCRIBE, found), SUBSCRIBE),
  ...pagesAt('/manage/:token', 'manageSubscription', (found) => managePage(found), undefined),
]

function pagesAt(
  path: string,
  operation: string,
  show: (found: Subscription) => Reply,
  wish: Wish | undefined,
): readonly OpenRoute[] {
  const open = { path, access: 'open', errors: 'page', gives: { 200: 'text/html' } } as const
  return [
    {
      ...open,
      method: 'GET',
      operation: `show${operation[0]?.toUpperCase()}${operation.slice(1)}Page`,
      summary: `Show the page of ${path.replace('/:token', '')}`,
      description: 'The address in a mail. Opening it changes nothing.',
      async handle(engine, request) {
        const found = await engine.subscriptions.look(request.param('token'), request.languages)
        if (found && request.method === 'GET') await engine.tracking.looked(request.param('token'), visitorOf(request))
        return found ? show(found) : without(engine, request, wish)
      },
    },
    {
      ...open,
      method: 'POST',
      operation,
      summary: `Submit the page of ${path.replace('/:token', '')}`,
      description: 'For its button, and for the one-click request of mail programs (RFC 8058).',
      async handle(engine, request) {
        const form = await request.form()
        const consent = wish === undefined ? consentOf(form) : undefined
        if (consent) return (await allowed(engine, request, consent)) ?? without(engine, request, wish)
        const wanted = wishOf(form) ?? wish
        const now = await changed(engine, request, wanted)
        if (now === undefined) return without(engine, request, wanted)
        return wanted ? donePage(now) : show(now)
      },
    },
  ]
}

/** Does what is wanted. Undefined when there is no such contact. */
function changed({ subscriptions }: Engine, request: PublicRequest, wish: Wish | undefined) {
  return subscriptions[wish ?? 'look'](request.param('token'), request.languages)
}

/** Stores what may be tracked. Undefined when there is no such contact. */
async function allowed(
  { subscriptions }: Engine,
  request: PublicRequest,
  consent: TrackingConsent,
): Promise<Reply | undefined> {
  const now = await subscriptions.allow(consent, request.param('token'), request.languages)
  return now && managePage(now, true)
}

/** For a link that is invalid, or whose contact was deleted. */
async function without({ subscriptions }: Engine, request: PublicRequest, wish: Wish | undefined): Promise<Reply> {
  const deleted = await subscriptions.deleted(request.param('token'), request.languages)
  return deleted ? gonePage(deleted, wish === UNSUBSCRIBE) : invalidPage(request.languages)
}

/** RFC 8058, section 3.1: a mail client posts `List-Unsubscribe=One-Click`, which never subscribes anybody. */
function wishOf(form: URLSearchParams): Wish | undefined {
  if (form.has('List-Unsubscribe')) return UNSUBSCRIBE
  const said = form.get(FIELD)
  return said === SUBSCRIBE || said === UNSUBSCRIBE ? said : undefined
}

/** What may be tracked, if the form says nothing else. A one-click request never says it. */
function consentOf(form: URLSearchParams): TrackingConsent | undefined {
  if (wishOf(form) !== undefined) return undefined
  const said = form.get(TRACKING_FIELD)
  return TRACKING_CONSENTS.find((consent) => consent === said)
}
