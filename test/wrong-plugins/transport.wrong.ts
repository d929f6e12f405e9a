import type { MailTransport, OutgoingMail, SendResult } from '../../core/ports/mail-transport.ts'
import { acmeJson } from '../../examples/json-transport.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { mailTransportContract } from '../contracts/mail-transport.ts'
import { startJsonProvider } from '../support/json-provider.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { KIT } from './kit.ts'
import { right, wrong } from './wrong.ts'

type Send = (mail: OutgoingMail, signal: AbortSignal) => Promise<SendResult>
const never = new AbortController().signal

/** The example, changed: a provider that takes fields. */
const fields = (change: (send: Send, url: string) => Send) =>
  mailTransportContract(async () => {
    const { url, apiKey, mails, moods, close } = await startJsonProvider()
    const { transport } = await acmeJson({ url, apiKey }).open(KIT)
    const send = change((mail, signal) => transport.send(mail, signal), url)
    return {
      transport: { concurrency: 10, send },
      speaks: 'fields',
      received: async () => mails,
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
    const sink = await startSmtpSink({ checked: false, judge })
    const { transport } = await smtp({ host: '127.0.0.1', port: sink.port }).open(KIT)
    const close = async () => transport.close?.()
    return {
      transport: { concurrency: 5, send: (mail, signal) => transport.send(mail, signal), close, ...change(transport) },
      received: async () => sink.messages,
      refuses: undefined,
      postpones: undefined,
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
