import { createHmac, timingSafeEqual } from 'node:crypto'
import { definePlugin, readJsonText } from 'mailwright'
import * as v from 'valibot'

const KINDS = { sent: 'delivered', bounce: 'bounced', spam: 'complained', open: 'opened', click: 'clicked' } as const
const Event = { id: v.string(), type: v.string(), messageId: v.string(), to: v.string(), at: v.number() }
const Events = v.array(v.object({ ...Event, said: v.optional(v.string(), ''), link: v.optional(v.string(), '') }))

/** Receives the events of a provider that signs the body and lists events by Message-ID. */
export const acmeEvents = definePlugin({
  name: 'hook-acme',
  provides: ['hook'],
  options: v.strictObject({ secret: v.pipe(v.string(), v.minLength(16)) }),
  open: ({ secret }) => ({
    hook: {
      receive({ headers, body }) {
        const given = Buffer.from(headers['acme-signature'] ?? '', 'hex')
        const right = createHmac('sha256', secret).update(body).digest()
        const isSigned = given.length === right.length && timingSafeEqual(given, right)
        if (!isSigned) return { outcome: 'refused', status: 401, message: 'The acme-signature is not right.' }
        const events = v.safeParse(Events, readJsonText(body))
        if (!events.success) return { outcome: 'refused', status: 400, message: 'The body is no list of events.' }
        const reports = events.output.flatMap(({ id: key, type, messageId, to: recipient, at, said, link }) => {
          if (!Object.hasOwn(KINDS, type)) return [] // an event we do not use
          const kind = KINDS[type as keyof typeof KINDS]
          const about = { kind, mail: { messageId }, recipient, at: new Date(at), key, link }
          return kind === 'bounced' ? { ...about, bounce: { diagnostic: said } } : about
        })
        return { outcome: 'taken', reports }
      },
    },
  }),
})
