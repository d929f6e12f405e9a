import * as v from 'valibot'
import { silentLog } from '../../core/ports/log.ts'
import type { SubmissionDesk, SubmissionMail, Submitter } from '../../core/ports/submission.ts'
import { SubmissionSmtpOptions } from '../../plugins/submission-smtp/options.ts'
import { SubmissionListener } from '../../plugins/submission-smtp/submission-listener.ts'
import { submissionMailContract } from '../contracts/submission-mail.ts'
import { takenPort } from '../support/taken-port.ts'
import { right, wrong } from './wrong.ts'

const ACCEPTED = { outcome: 'accepted' } as const
const text = (raw: Uint8Array) => Buffer.from(raw).toString()

/** The listener, with a changed desk or changed itself. */
const changed = (
  desk: (desk: SubmissionDesk) => Partial<SubmissionDesk>,
  itself: (submission: SubmissionListener) => Partial<SubmissionMail> = () => ({}),
) =>
  submissionMailContract(async () => {
    const on = (port: number): { readonly listener: SubmissionListener; readonly submission: SubmissionMail } => {
      const listener = new SubmissionListener(v.parse(SubmissionSmtpOptions, { host: '127.0.0.1', port }), silentLog)
      const same: SubmissionMail = {
        start: (given) => listener.start({ login: (...login) => given.login(...login), ...desk(given) }),
        stop: (graceMs) => listener.stop(graceMs),
        check: () => listener.check(),
      }
      return { listener, submission: Object.assign(same, itself(listener)) }
    }
    const { listener, submission } = on(0)
    const occupy = async () => {
      const { port } = await takenPort()
      return { receiver: on(port).submission, port }
    }
    return { submission, port: () => listener.port ?? 0, occupy, close: () => listener.stop(0) }
  })

/** A submitter, changed. */
const submitter = (change: (submitter: Submitter) => Partial<Submitter>) =>
  changed((desk) => ({
    async login(...given) {
      const login = await desk.login(...given)
      if (login.outcome !== 'accepted') return login
      const same: Submitter = {
        sender: (address) => login.submitter.sender(address),
        recipient: (address) => login.submitter.recipient(address),
        submit: (message) => login.submitter.submit(message),
      }
      return { ...login, submitter: Object.assign(same, change(login.submitter)) }
    },
  }))
const raw = (change: (raw: Uint8Array) => string | Uint8Array) =>
  submitter(({ submit }) => ({ submit: (message) => submit({ ...message, raw: Buffer.from(change(message.raw)) }) }))

right(() => changed(() => ({})))
wrong('reads messages as text', 'keeps the octets', () => raw(text))
wrong('cuts long messages', 'all of a long one', () => raw((bytes) => bytes.slice(0, 65_536)))
wrong('writes its own line ends', 'with its envelope and its bytes', () =>
  raw((bytes) => text(bytes).replaceAll('\r\n', '\n')),
)
wrong('stuffs dots', 'with its envelope and its bytes', () => raw((bytes) => text(bytes).replaceAll('\r\n.', '\r\n..')))
wrong('takes the recipients from the header', 'delivers to the envelope', () =>
  submitter(({ submit }) => ({
    submit: ({ envelope, raw: bytes }) => {
      const to = /^To: (.*)\r$/m.exec(text(bytes))?.[1]?.split(', ') ?? envelope.to
      return submit({ envelope: { ...envelope, to }, raw: bytes })
    },
  })),
)
wrong('puts something in place of the null sender', 'takes the null sender', () =>
  submitter(({ submit }) => ({
    submit: ({ envelope, raw: bytes }) =>
      submit({ envelope: { ...envelope, from: envelope.from || 'nobody@a.example' }, raw: bytes }),
  })),
)
wrong('answers without the ids', 'answers with the ids', () =>
  submitter(({ submit }) => ({
    submit: async (message) => {
      const answer = await submit(message)
      return answer.outcome === 'accepted' ? { ...answer, ids: [] } : answer
    },
  })),
)
wrong('lets in whoever is refused', 'takes nothing without a login', () => {
  let known: Submitter | undefined
  return changed((desk) => ({
    async login(...given) {
      const login = await desk.login(...given)
      if (login.outcome === 'accepted') known = login.submitter
      const guest: Submitter = {
        sender: async () => ACCEPTED,
        recipient: () => ACCEPTED,
        submit: async () => ({ ...ACCEPTED, ids: [] }),
      }
      return login.outcome === 'refused' ? { ...ACCEPTED, submitter: known ?? guest } : login
    },
  }))
})
wrong('asks nobody about the sender', 'is told: a sender', () => submitter(() => ({ sender: async () => ACCEPTED })))
wrong('asks nobody about recipients', 'is told: a recipient', () => submitter(() => ({ recipient: () => ACCEPTED })))
wrong('refuses for good what is refused for now', 'is told: a message', () =>
  submitter(({ submit }) => ({
    submit: async (message) => {
      const answer = await submit(message)
      if (answer.outcome !== 'later') return answer
      return { outcome: 'refused', code: 550, status: '5.7.1', message: answer.message }
    },
  })),
)
wrong('takes a login that cannot be checked for a wrong one', 'a login cannot be checked now', () =>
  changed((desk) => ({
    async login(...given) {
      const login = await desk.login(...given)
      return login.outcome === 'later' ? { ...login, outcome: 'refused', code: 535, status: '5.7.8' } : login
    },
  })),
)
wrong('answers before the message is stored', 'only when the message is stored', () =>
  submitter(({ submit }) => ({
    submit: async (message) => {
      void submit(message).catch(() => {})
      return { ...ACCEPTED, ids: message.envelope.to.map((_, i) => `id-${i}`) }
    },
  })),
)
wrong('tells what went wrong inside', 'not with success when it is not', () =>
  submitter(({ submit }) => ({
    submit: (message) => submit(message).catch((error) => ({ outcome: 'later', message: error.message })),
  })),
)
wrong('is well when it has stopped', 'says whether it takes mail', () =>
  changed(
    () => ({}),
    () => ({ check: async () => {} }),
  ),
)
wrong('takes mail when it has stopped', 'takes none after stop', () =>
  changed(
    () => ({}),
    () => ({ stop: async () => {} }),
  ),
)
wrong('lets nothing end when it stops', 'stops when what is under way is stored', () =>
  changed(
    () => ({}),
    (listener) => ({ stop: () => listener.stop(0) }),
  ),
)
wrong('starts though its port is taken', 'another program has its port', () =>
  changed(
    () => ({}),
    (listener) => ({
      start: async (desk) => {
        await listener.start(desk).catch(() => {})
      },
    }),
  ),
)
