import { definePlugin, EngineError } from 'mailwright'
import { typedApi } from 'mailwright/compat'
import * as v from 'valibot'

const Mail = v.object({ sender: v.string(), to: v.array(v.string()), title: v.string(), words: v.string() })

/** Answers the clients of a mail service of its own: `POST /mails` sends one, `GET /mails/:id` reads it. */
export const acmeApi = definePlugin({
  name: 'compat-acme',
  provides: ['compat'],
  open: () => ({
    compat: {
      service: 'Acme',
      keyOf: (headers) => headers['x-acme-key'],
      refusal: ({ status, message, fields }) => ({
        status,
        body: { oops: [message, ...fields.map((each) => `${each.field} ${each.message}`)].join(' ') },
      }),
      endpoints: [
        {
          method: 'POST',
          path: '/mails',
          methods: ['mails.send'],
          body: 'json',
          keepsKey: true,
          fields: { from: 'sender', subject: 'title', text: 'words' },
          async answer({ body }, ours) {
            const mail = v.safeParse(Mail, body)
            if (!mail.success) {
              const fields = mail.issues.map(({ path, message }) => ({
                field: path?.map(({ key }) => key).join('.') ?? 'body',
                code: 'custom' as const,
                message,
              }))
              throw new EngineError('VALIDATION_ERROR', 'This is no mail.', { fields })
            }
            const { sender: from, to, title: subject, words: text } = mail.output
            // one mail that names all recipients, with its braces as they stand
            const sent = { from, to, subject, text, together: true, placeholders: false }
            const { data } = await typedApi(ours).call('sendMail', { body: sent })
            return { status: 200, body: { mail: data.emails[0]?.email } }
          },
        },
        {
          method: 'GET',
          path: '/mails/:id',
          methods: ['mails.get'],
          async answer({ params }, ours) {
            const email = await typedApi(ours).call('getEmail', { path: { id: params.id ?? '' } })
            return { status: 200, body: { mail: email.id, state: email.status.toLowerCase() } }
          },
        },
      ],
      absent: [{ method: 'POST', path: '/faxes', methods: ['faxes.send'], reason: 'this server sends no faxes' }],
    },
  }),
})
