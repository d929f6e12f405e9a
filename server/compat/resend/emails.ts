import * as v from 'valibot'
import type { ForeignEndpoint } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { typedApi } from '../kit/typed-api.ts'

const MEGABYTE = 1024 * 1024
const Addresses = v.union([v.string(), v.array(v.string())])

const Email = v.object({
  from: v.string(),
  to: Addresses,
  subject: v.string(),
  html: v.nullish(v.string()),
  text: v.nullish(v.string()),
  cc: v.nullish(Addresses),
  bcc: v.nullish(Addresses),
  reply_to: v.nullish(Addresses),
  headers: v.nullish(v.record(v.string(), v.string())),
})

/** Resend's names of our fields. */
const FIELDS = { body: 'html', reply: 'reply_to', scheduledFor: 'scheduled_at' }

/** `resend.emails`. */
export const emails: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/emails',
    methods: ['emails.send', 'emails.create'],
    body: 'json',
    bodyLimit: 50 * MEGABYTE,
    keepsKey: true,
    fields: FIELDS,
    async answer({ body }, ours) {
      const { html, reply_to: reply, cc, bcc, headers, text, ...mail } = parse(Email, body)
      const { data } = await typedApi(ours).call('sendMail', {
        body: {
          ...mail,
          together: true,
          placeholders: false,
          ...(html == null ? {} : { body: html }),
          ...(text == null ? {} : { text }),
          ...(cc == null ? {} : { cc }),
          ...(bcc == null ? {} : { bcc }),
          ...(headers == null ? {} : { headers }),
          ...(reply == null ? {} : { reply: [reply].flat()[0] }),
        },
      })
      return { status: 200, body: { id: data.emails[0]?.email } }
    },
  },
  {
    method: 'GET',
    path: '/emails/:id',
    methods: ['emails.get'],
    async answer({ params }, ours) {
      const email = await typedApi(ours).call('getEmail', { path: { id: params.id ?? '' } })
      return { status: 200, body: { object: 'email', id: email.id, subject: email.subject, to: [email.to] } }
    },
  },
]
