import type { MailTransport, OutgoingMail, SendResult } from '../../core/ports/mail-transport.ts'
import { acmeJson } from '../../examples/json-transport.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import type { ReceivedMail } from '../contracts/arrived-mail.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { startJsonProvider } from '../support/json-provider.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

type Send = (mail: OutgoingMail, signal: AbortSignal) => Promise<SendResult>
const never = new AbortController().signal

const asItIs = (mail: ReceivedMail): ReceivedMail => mail
const withoutId = ({ id: _, ...mail }: ReceivedMail): ReceivedMail => mail
const inSmallLetters = (mail: ReceivedMail): ReceivedMail => {
  const headers = mail.fields?.headers?.map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...mail, ...(mail.fields && headers && { fields: { ...mail.fields, headers } }) }
}

/** The answer of the example, changed by a mail's own status. */
const onStatus = (change: (result: SendResult) => unknown) =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    return (result.outcome === 'refused' && result.stage === 'data' ? change(result) : result) as SendResult
  })

/** The example, changed: a provider that takes fields. */
const fields = (change: (send: Send, url: string) => Send, more: Partial<MailTransport> = {}, sees = asItIs) =>
  mailTransportContract(async () => {
    const { url, apiKey, mails, moods, close } = await startJsonProvider()
    const { transport } = await acmeJson({ url, apiKey }).open(KIT)
    const send = change((mail, signal) => transport.send(mail, signal), url)
    return {
      transport: { concurrency: 10, send, ...more },
      speaks: 'fields',
      cuts: () => void Object.assign(moods, { cut: true }),
      garbles: (garbled) => void Object.assign(moods, { garbled }),
      received: async () => mails.map(sees),
      refuses: undefined,
      postpones: undefined,
      unplug: close,
      stall: () => void Object.assign(moods, { isSilent: true }),
      fails: (status) => void Object.assign(moods, { status }),
      close,
    }
  })

/** The transport by SMTP, changed. */
const bySmtp = (change: (transport: MailTransport) => Partial<MailTransport>) =>
  mailTransportContract(async () => {
    let code: number | undefined
    const judge = () => (code === undefined ? undefined : { code, message: 'no' })
    const recipients = {
      'gone@example.com': { code: 550, message: '5.1.1 no such user' },
      'full@example.com': { code: 452, message: '4.2.2 full' },
    }
    const sink = await startSmtpSink({ checked: false, judge, recipients })
    const { transport } = await smtp({ host: '127.0.0.1', port: sink.port }).open(KIT)
    const close = async () => transport.close?.()
    return {
      transport: { concurrency: 5, send: (mail, signal) => transport.send(mail, signal), close, ...change(transport) },
      received: async () => sink.messages,
      refuses: 'gone@example.com',
      postpones: 'full@example.com',
      unplug: () => sink.close(),
      stall: undefined,
      fails: (status) => {
        code = status
      },
      statuses: 'smtp',
      close: () => sink.close(),
    }
  })

right(() => fields((send) => send))
right(() => bySmtp(() => ({})))
// a provider that takes a mail by 202 and names no id
right(() =>
  fields(
    (send) => async (mail, signal) => {
      const result = await send(mail, signal)
      return result.outcome === 'accepted' ? { outcome: 'accepted' } : result
    },
    {},
    withoutId,
  ),
)
right(() => fields((send) => send, {}, inSmallLetters))

wrong('answers nothing when the provider is in trouble', 'only when the status says so', () =>
  onStatus(() => undefined),
)
wrong('answers a stage that there is not', 'only when the status says so', () =>
  onStatus((result) => ({ ...result, stage: 'date' })),
)
wrong('refuses without a reason', 'only when the status says so', () =>
  onStatus(({ ...result }) => ({ ...result, reason: undefined })),
)
wrong('answers that the mail was rejected', 'only when the status says so', () =>
  onStatus((result) => ({ ...result, outcome: 'rejected' })),
)
wrong('answers the status as a text', 'only when the status says so', () =>
  onStatus((result) => ({ ...result, code: '422' })),
)
wrong('says of one mail that nobody can be reached', 'of one mail say nothing of the next hop', () =>
  onStatus((result) => ({ ...result, stage: 'connect' })),
)
wrong('answers an id of its own', 'sends the same mail again', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    return result.outcome === 'accepted' ? { ...result, id: mail.id } : result
  }),
)
wrong('throws when it cannot read a success', 'has taken it once, and nothing is thrown: an empty 202', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    if (result.outcome === 'accepted' && result.id === undefined) throw new Error('the answer has no id')
    return result
  }),
)
wrong('takes a success that it cannot read for a refusal', 'nothing is thrown: a body that is cut', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    if (result.outcome !== 'accepted' || result.id !== undefined) return result
    return { outcome: 'refused', permanent: false, stage: 'data', reason: 'the answer has no id' }
  }),
)

wrong('ignores the signal once it has begun', 'silent', () =>
  fields((send) => (mail, signal) => send(mail, signal.aborted ? signal : never)),
)

wrong('takes every refusal for a permanent one', 'for good only when the status says so', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    return result.outcome === 'refused' && result.stage === 'data' ? { ...result, permanent: true } : result
  }),
)

wrong('tries again what SMTP refuses for good', 'for good only when the status says so', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const result = await transport.send(mail, signal)
      return result.outcome === 'refused' ? { ...result, permanent: false } : result
    },
  })),
)

wrong('puts the blind copies that are left into one to', 'when blind copies alone are left', () =>
  fields((send) => (mail, signal) => send(mail.to.length > 0 ? mail : { ...mail, to: mail.bcc, bcc: [] }, signal)),
)

wrong('reads its recipients from the message', 'delivers to the envelope', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const header =
        Buffer.from(await mail.raw())
          .toString()
          .split('\r\n\r\n')[0] ?? ''
      const to = /^To: (.*)$/m.exec(header)?.[1]?.split(', ') ?? mail.envelope.to
      return transport.send({ ...mail, envelope: { ...mail.envelope, to } }, signal)
    },
  })),
)

wrong('forgets attachments', 'attachments whole', () =>
  fields((send) => (mail, signal) => send({ ...mail, attachments: [] }, signal)),
)

wrong('forgets header fields', 'further header fields whole', () =>
  fields((send) => (mail, signal) => send({ ...mail, headers: [] }, signal)),
)

wrong('forgets copies', 'copies, names and an address for answers', () =>
  fields((send) => (mail, signal) => send({ ...mail, cc: [] }, signal)),
)

wrong('answers without an id', 'sends the same mail again', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    return result.outcome === 'accepted' ? { outcome: 'accepted' } : result
  }),
)

wrong('throws when nothing can have been sent', 'refused for now, and why', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    if (result.outcome === 'refused') throw new Error(result.reason)
    return result
  }),
)

wrong('claims that its mail was taken', 'answer is true', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal).catch(() => undefined)
    return result?.outcome === 'refused' ? result : { outcome: 'accepted', id: 'x' }
  }),
)

wrong('puts off for good what was put off for now', 'refused for now', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const result = await transport.send(mail, signal)
      return {
        ...result,
        ...(result.refused && { refused: result.refused.map((one) => ({ ...one, permanent: true })) }),
      }
    },
  })),
)

wrong('reports a part as the whole', 'name each recipient refused', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const { refused: _, ...result } = await transport.send(mail, signal)
      return result
    },
  })),
)

wrong('says of one refused recipient that nobody can be reached', 'when the only recipient is refused', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const result = await transport.send(mail, signal)
      return result.outcome === 'refused' ? { ...result, stage: 'connect' } : result
    },
  })),
)

wrong('says of a server that is away that it refused the message', 'refused for now, and why', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const result = await transport.send(mail, signal)
      return result.outcome === 'refused' ? { ...result, stage: 'data' } : result
    },
  })),
)

wrong('answers codes as texts', 'when the only recipient is refused', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const result = await transport.send(mail, signal)
      return result.outcome === 'refused' ? { ...result, code: String(result.code) as never } : result
    },
  })),
)

wrong('answers an id that is a number', 'an ordinary message', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    return result.outcome === 'accepted' ? { ...result, id: 17 as never } : result
  }),
)

wrong('answers a status as the outcome', 'an ordinary message', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    return result.outcome === 'accepted' ? { ...result, refused: {} as never } : result
  }),
)

wrong('tries again when the connection breaks', 'does not send the mail once more', () =>
  fields((send) => (mail, signal) => send(mail, signal).catch(() => send(mail, signal))),
)

wrong('takes a broken connection for a refusal', 'leaves the outcome unknown', () =>
  fields(
    (send) => (mail, signal) =>
      send(mail, signal).catch(
        (error) =>
          ({
            ...{ outcome: 'refused', permanent: false, stage: 'connect' },
            reason: String(error),
          }) as const,
      ),
  ),
)

wrong('takes a mail it knows for sent already', 'a later try of a mail', () => {
  const known = new Map<string, SendResult>()
  return fields((send) => async (mail, signal) => {
    const result = known.get(mail.id) ?? (await send(mail, signal))
    if (result.outcome === 'accepted') known.set(mail.id, result)
    return result
  })
})

wrong('empties the lists of the mail', 'leaves the mail as it was', () =>
  fields((send) => async (mail, signal) => {
    const result = await send(mail, signal)
    Object.assign(mail, { to: [], attachments: [] })
    return result
  }),
)

wrong('stuffs dots into the bytes of the mail', 'leaves the mail as it was', () =>
  bySmtp((transport) => ({
    send: async (mail, signal) => {
      const raw = Buffer.from(await mail.raw())
      const result = await transport.send({ ...mail, raw: async () => new Uint8Array(raw) }, signal)
      ;(await mail.raw()).fill(0)
      return result
    },
  })),
)

wrong('hands over the first fifty recipients', 'delivers to all recipients', () =>
  fields((send) => (mail, signal) => send({ ...mail, to: mail.to.slice(0, 50) }, signal)),
)

wrong('names blind copies in a header field', 'without naming them in the message', () =>
  fields(
    (send) => (mail, signal) =>
      send({ ...mail, headers: [...mail.headers, ['X-Envelope-To', mail.envelope.to.join()]] }, signal),
  ),
)

wrong('gives up every mail when one is given up', 'ends only its own try', () => {
  let all = new AbortController()
  return fields((send) => async (mail, signal) => {
    if (all.signal.aborted) all = new AbortController()
    const { signal: shared } = all
    signal.addEventListener('abort', () => all.abort())
    if (signal.aborted) return send(mail, signal)
    return send(mail, AbortSignal.any([signal, shared]))
  })
})

wrong('checks by sending a mail', 'sent no mail', () =>
  bySmtp((transport) => ({
    check: async () => {
      const raw = async () => new Uint8Array(Buffer.from('Subject: test\r\n\r\n'))
      const envelope = { from: 'a@sender.test', to: ['test@example.com'] }
      const result = await transport.send({ ...outgoingMail({ envelope }), raw }, never)
      if (result.outcome === 'refused') throw new Error(result.reason)
    },
  })),
)

wrong('keeps a timer for each mail', 'leaves no timer', () =>
  fields((send) => (mail, signal) => {
    const left = setInterval(() => {}, 60_000)
    kept.push(left)
    return send(mail, signal)
  }),
)

const kept: NodeJS.Timeout[] = []
