import { definePlugin, type Mailbox, type OutgoingMail, type SendResult } from 'mailwright'
import * as v from 'valibot'

/** Error codes of fetch when it reached no server. After any other error, the mail may have been accepted. */
const UNREACHED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/
const Answer = v.pipe(v.string(), v.parseJson(), v.object({ id: v.pipe(v.string(), v.nonEmpty()) }))
const later = (reason: string) => ({ outcome: 'refused', permanent: false, stage: 'connect', reason }) as const
const written = ({ email, name }: Mailbox) => ({ email, ...(name === undefined ? {} : { name }) })

/** Whom one request delivers to. */
type Recipients = Pick<OutgoingMail, 'to' | 'cc' | 'bcc'>

/** The mail as a provider wants it that makes the message itself. It delivers to all of `to`, `cc` and `bcc`. */
function bodyOf(mail: OutgoingMail, { to, cc, bcc }: Recipients) {
  return {
    from: written(mail.from),
    to: to.map(written),
    cc: cc.map(written),
    bcc: bcc.map(written),
    replyTo: mail.replyTo.map(written),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: mail.headers.map(([name, value]) => ({ name, value })),
    attachments: mail.attachments.map(({ filename, contentType, contentId, content }) => {
      return { filename, contentType, contentId, content: Buffer.from(content).toString('base64') }
    }),
    metadata: mail.tags,
  }
}

/** Hands mail to a provider whose API takes the parts of a mail as JSON. */
export const acmeJson = definePlugin({
  name: 'mail-acme-json',
  provides: ['transport'],
  options: v.strictObject({ url: v.pipe(v.string(), v.url()), apiKey: v.string() }),
  open({ url, apiKey }, { log }) {
    /** The provider has the mail: were anything thrown from here on, it would be sent again. */
    function accepted(said: string): SendResult {
      const answer = v.safeParse(Answer, said)
      // its reports name the mail by this id
      if (answer.success) return { outcome: 'accepted', id: answer.output.id }
      log.warn('the provider took a mail, but its answer has no id', { said: said.slice(0, 200) })
      return { outcome: 'accepted' }
    }

    async function post(mail: OutgoingMail, recipients: Recipients, signal: AbortSignal): Promise<SendResult> {
      if (signal.aborted) return later('given up before it was sent')
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(bodyOf(mail, recipients)), signal }
      const answer = await fetch(url, request).catch((error) => {
        if (UNREACHED.test(error.cause?.code)) return later(error.message)
        throw error // unknown: the engine tries again later
      })
      if ('outcome' in answer) return answer
      const said = await answer.text().catch(() => '')
      if (answer.ok) return accepted(said)
      const permanent = [400, 413, 422].includes(answer.status) // the others are not the mail's fault
      return { outcome: 'refused', permanent, stage: 'data', reason: `${answer.status} ${said}` }
    }

    async function send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult> {
      // these are the recipients of this try: on a later one, those who have the mail are left out
      if (mail.to.length > 0) return post(mail, mail, signal)
      // only blind copies are left, which must not see each other: each gets a request
      const refused = []
      let taken = 0
      let last: SendResult = later('it has no recipients')
      for (const copy of mail.bcc) {
        last = await post(mail, { to: [copy], cc: [], bcc: [] }, signal).catch((error) => {
          if (taken === 0) throw error
          return later(error.message) // only this one is tried again, not those who have the mail
        })
        if (last.outcome === 'refused') refused.push({ ...last, recipient: copy.email })
        else taken++
      }
      return taken > 0 ? { outcome: 'accepted', refused } : last
    }

    return { transport: { concurrency: 10, send } }
  },
})
