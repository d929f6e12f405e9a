import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { asciiAddress, domainOf } from '../../../core/values/email-address.ts'
import { bareAddress } from '../kit/addresses.ts'
import { Form } from '../kit/form.ts'
import { nameBy } from '../kit/renamed.ts'
import { sendAll, templateIn } from '../kit/send-all.ts'
import { typedApi } from '../kit/typed-api.ts'
import { isYes, listed, readMessage, tagsOf, timeOf } from './message.ts'

const MEGABYTE = 1024 * 1024

/** Mailgun's names of our fields. */
const NAMES: Readonly<Record<string, string>> = {
  body: 'html',
  reply: 'h:Reply-To',
  replyTo: 'h:Reply-To',
  headers: 'h:',
  attachments: 'attachment',
  tags: 'v:',
  data: 't:variables',
  scheduledFor: 'o:deliverytime',
  tracking: 'o:tracking',
  together: 'to',
}

/** Sending. */
export const sending: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/v3/:domain/messages',
    methods: ['messages.create'],
    difference:
      'the domain in the path is not looked at: that of `from` must be verified; a mail needs a subject; without `recipient-variables` one mail goes to at most 100 recipients, with them each of at most 500 addresses gets one mail of its own, all or none, 20 MB in all; at most 20 addresses in each of `cc` and `bcc`; `template` is the slug or the id of a [template](templates.md) here; `o:tag` and `v:…` become tags; opens and clicks are counted together, and not at all when one of them is switched off; `o:dkim`, `o:require-tls`, `o:skip-verification` and `o:sending-ip` have no effect; `amp-html`, `t:version`, `t:text` and optimized times are refused',
    body: 'form',
    bodyLimit: 30 * MEGABYTE,
    keepsKey: true,
    async answer({ body, now }, ours) {
      const { from, mails, isTest } = await readMessage(new Form(body), now)
      const [id = ''] = await sendAll(ours, mails, { nameOf, dryRun: isTest }).catch(templateIn('template'))
      return { status: 200, body: { id: messageIdOf(id, from), message: 'Queued. Thank you.' } }
    },
  },
  {
    method: 'POST',
    path: '/v3/:domain/messages.mime',
    methods: ['messages.create'],
    difference:
      'the message goes out as it is, and the domain of its author must be verified; `o:testmode` is refused; of the options `o:tag`, `v:…` and `o:deliverytime` count, and it is not tracked; a key that may only send gets the id of the record instead of the Message-ID',
    body: 'form',
    bodyLimit: 30 * MEGABYTE,
    keepsKey: true,
    fields: { ...NAMES, message: 'message' },
    async answer({ body, now, params }, ours) {
      const form = new Form(body)
      if (isYes(form, 'o:testmode')) throw invalidField('o:testmode', 'custom', 'is not possible here')
      const to = listed(form, 'to').map((entry) => bareAddress(entry) ?? entry)
      if (to.length === 0) throw invalidField('to', 'required', 'is required')
      const [file] = form.files('message')
      if (file === undefined) throw invalidField('message', 'required', 'is required')
      const scheduledFor = timeOf(form, now)
      const { data } = await typedApi(ours).call('sendMessage', {
        body: {
          message: Buffer.from(file.value).toString('base64'),
          to,
          tags: tagsOf(form),
          ...(scheduledFor === undefined ? {} : { scheduledFor }),
        },
      })
      const [first] = data.emails
      const id = first === undefined ? '' : await sentMessageId(ours, first.email, params.domain ?? '')
      return { status: 200, body: { id, message: 'Queued. Thank you.' } }
    },
  },
]

/** The Message-ID of a mail; where the key may not read it, one with the id of its record. */
async function sentMessageId(ours: OurApi, id: string, domain: string): Promise<string> {
  try {
    return (await typedApi(ours).call('getEmail', { path: { id } })).messageId
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'FORBIDDEN') throw error
    return `<${id}@${domain}>`
  }
}

/** The Message-ID that a mail is sent with. The sender was accepted, so its last brackets have its address. */
function messageIdOf(id: string, from: string): string {
  const address = from.slice(from.lastIndexOf('<') + 1).replace('>', '')
  return `<${id}@${domainOf(asciiAddress(address.trim().toLowerCase()))}>`
}

function nameOf(_: number, field: string): string {
  return field.startsWith('headers.') ? field.replace('headers.', 'h:') : nameBy(NAMES, field)
}
