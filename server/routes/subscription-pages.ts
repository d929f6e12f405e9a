import type { Engine } from '../../core/engine.ts'
import type { LinkUse, Subscription } from '../../core/subscriptions/subscriptions.ts'
import { TRACKING_CONSENTS, type TrackingConsent } from '../../core/values/tracking-consent.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import {
  askPage,
  donePage,
  EVERY_DAYS,
  EVERYTHING,
  FIELD,
  gonePage,
  invalidPage,
  managePage,
  OFTEN_FIELD,
  PAUSE_FIELD,
  PAUSES,
  SHOWN_FIELD,
  SUBSCRIBE,
  TOPIC_FIELD,
  TRACKING_FIELD,
  UNSUBSCRIBE,
} from '../pages/subscription-pages.ts'
import { visitorOf } from './tracking.ts'

/** The purpose of a page, and the meaning of posting to it unless the form says otherwise. */
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
        const saved = await chosen(engine, request, form, wish)
        if (saved) return saved === 'nobody' ? without(engine, request, wish) : managePage(saved, true)
        const wanted = wishOf(form) ?? wish
        const now = await changed(engine, request, wanted, {
          everything: !form.has(ONE_CLICK) && form.get(FIELD) === EVERYTHING,
          source: form.has(FIELD) ? 'page' : 'one-click',
        })
        if (now === undefined) return without(engine, request, wanted)
        return wanted ? donePage(now) : show(now)
      },
    },
  ]
}

/** Does what is wanted. Undefined when there is no such contact. */
function changed({ subscriptions }: Engine, request: PublicRequest, wish: Wish | undefined, use: LinkUse) {
  const [token, { languages }] = [request.param('token'), request]
  return wish === undefined ? subscriptions.look(token, languages) : subscriptions[wish](token, languages, use)
}

/**
 * Stores what a form says of topics, of a pause, of how often mail may come, or of what may be tracked. Undefined when it says nothing of these;
 * a one-click request never does.
 */
async function chosen(
  { subscriptions }: Engine,
  request: PublicRequest,
  form: URLSearchParams,
  wish: Wish | undefined,
): Promise<Subscription | 'nobody' | undefined> {
  if (wishOf(form) !== undefined) return undefined
  const [token, { languages }] = [request.param('token'), request]
  if (form.has(PAUSE_FIELD)) {
    const days = PAUSES.concat(0).find((each) => String(each) === form.get(PAUSE_FIELD))
    // another number of days changes nothing, and unsubscribes no contact
    const found =
      days === undefined ? subscriptions.look(token, languages) : subscriptions.pause(token, days, languages)
    return (await found) ?? 'nobody'
  }
  const stored: (Subscription | undefined)[] = []
  // the choices of a page come together; what was left as it was changes nothing
  const consent = wish === undefined ? consentOf(form) : undefined
  if (consent) stored.push(await subscriptions.allow(consent, token, languages))
  if (form.has(OFTEN_FIELD)) {
    // another value is the sender's, which the page shows beside these and which stays
    const everyDays = EVERY_DAYS.find((each) => String(each ?? 0) === form.get(OFTEN_FIELD))
    const found =
      everyDays === undefined ? subscriptions.look(token, languages) : subscriptions.limit(token, everyDays, languages)
    stored.push(await found)
  }
  if (form.has(SHOWN_FIELD)) {
    const choices = { shown: form.getAll(SHOWN_FIELD), chosen: form.getAll(TOPIC_FIELD) }
    stored.push(await subscriptions.choose(token, choices, languages))
  }
  return stored.length === 0 ? undefined : (stored.at(-1) ?? 'nobody')
}

/** For a link that is invalid, or whose contact was deleted. */
async function without({ subscriptions }: Engine, request: PublicRequest, wish: Wish | undefined): Promise<Reply> {
  const token = request.param('token')
  const deleted = await subscriptions.deleted(token, request.languages)
  const leaveUrl = await subscriptions.leaving.ofLostLink(token)
  return deleted ? gonePage(deleted, wish === UNSUBSCRIBE, leaveUrl) : invalidPage(request.languages, leaveUrl)
}

/** RFC 8058, section 3.1: a mail client posts `List-Unsubscribe=One-Click`, which never subscribes a contact. */
function wishOf(form: URLSearchParams): Wish | undefined {
  if (form.has(ONE_CLICK)) return UNSUBSCRIBE
  const said = form.get(FIELD)
  if (said === EVERYTHING) return UNSUBSCRIBE
  return said === SUBSCRIBE || said === UNSUBSCRIBE ? said : undefined
}

/** The field of a mail program's request (RFC 8058). */
const ONE_CLICK = 'List-Unsubscribe'

/** The consent to tracking. */
function consentOf(form: URLSearchParams): TrackingConsent | undefined {
  const said = form.get(TRACKING_FIELD)
  return TRACKING_CONSENTS.find((consent) => consent === said)
}
