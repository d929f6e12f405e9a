import { definePlugin } from 'mailwright'
import * as v from 'valibot'

/** Error codes of fetch when it reached no server. After any other error, the mail may have been accepted. */
const UNREACHED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/
const later = (reason: string) => ({ outcome: 'refused', permanent: false, stage: 'connect', reason }) as const

/** Hands mail to a provider whose API accepts whole messages: the message is the body, the envelope the query. */
export const acme = definePlugin({
  name: 'mail-acme',
  provides: ['transport'],
  options: v.strictObject({ url: v.pipe(v.string(), v.url()), apiKey: v.string() }),
  open: ({ url, apiKey }) => ({
    transport: {
      concurrency: 10,
      async send(mail, signal) {
        if (signal.aborted) return later('given up before it was sent')
        const query = new URLSearchParams({ from: mail.envelope.from })
        for (const address of mail.envelope.to) query.append('to', address) // the only place that names blind copies
        const request = { method: 'POST', headers: { 'x-api-key': apiKey }, body: await mail.raw(), signal }
        const answer = await fetch(`${url}?${query}`, request).catch((error) => {
          if (UNREACHED.test(error.cause?.code)) return later(error.message)
          throw error // unknown: the engine tries again later, with the same Message-ID
        })
        if ('outcome' in answer) return answer
        const response = `${answer.status} ${await answer.text().catch(() => '')}`
        if (answer.ok) return { outcome: 'accepted', response }
        const permanent = [400, 413, 422].includes(answer.status) // the others are not the mail's fault
        return { outcome: 'refused', permanent, stage: 'data', reason: response }
      },
    },
  }),
})
