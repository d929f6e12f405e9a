import { parentPort, workerData } from 'node:worker_threads'
import { EngineError } from '../../errors.ts'
import { CompiledMail } from '../../mail/compiled-mail.ts'
import type { SigningKey } from '../../mail/dkim/sign-message.ts'
import { type Signer, signMessage } from '../../mail/dkim/sign-message.ts'
import { Links } from '../../mail/links/links.ts'
import type { MailMakers } from '../../mail/makers.ts'
import { Composing } from '../../mail/mime/composing.ts'
import { noteTroubles } from '../../mail/note-troubles.ts'
import { Rendering } from '../../mail/render/rendering.ts'
import { SlowRender } from '../../mail/render/slow-render.ts'
import type { Opened, Plugin } from '../../plugin/types.ts'
import { systemClock } from '../../ports/clock.ts'
import type { Log, LogFields } from '../../ports/log.ts'
import type { OutgoingMail } from '../../ports/mail-transport.ts'
import { domainOf } from '../../values/email-address.ts'
import { problemOf } from '../../work/answer-questions.ts'
import { isNested, noteModule } from '../../work/nested.ts'
import { GIVEN_UP } from '../checked-answer.ts'
import {
  type FromThread,
  ownerOf,
  type SendingOrder,
  type SendingThreadData,
  type ThreadTransport,
  type ToThread,
} from './sending-message.ts'

/** The worker thread of `SendingThreads`: makes mails, signs them and hands them over, on its own connections. */

/** How long one rendering may take, in milliseconds: other mails of this thread wait meanwhile. */
const RENDER_MS = 40

const { publicUrl, secret, transports: wanted } = workerData as SendingThreadData
const keys = new Map<string, readonly SigningKey[]>()
const signing: Signer = {
  sign: async (message, from, { projectId = '', bodyHash } = {}) =>
    signMessage(message, keys.get(ownerOf(projectId, domainOf(from))) ?? [], { at: systemClock.now(), bodyHash }),
}
const makers: MailMakers = {
  rendering: new Rendering(RENDER_MS, noteTroubles(logOf({}))),
  composing: new Composing(),
  links: new Links({ ...(publicUrl === undefined ? {} : { publicUrl }), secret: Buffer.from(secret) }),
  signing,
}
const contents = new Map<string, CompiledMail>()
const running = new Map<number, AbortController>()
/** By their keys. */
const transports = new Map<string, Promise<Opened<'transport'>>>()
let news: FromThread[] = []

process.on('unhandledRejection', (error) => {
  if (!isNested(error)) throw error
  // a module that starts its engine without waiting for it; to die of it would mean to start again and again
  tell({ it: 'failed', reason: textOf(error) })
})
const areOpen = await Promise.all(wanted.map(open))
// at once: a thread that dies with its first mails had started nevertheless
if (!areOpen.includes(false)) parentPort?.postMessage([{ it: 'is ready' }] satisfies readonly FromThread[])
// what came before waits in the port
parentPort?.on('message', (messages: readonly ToThread[]) => {
  for (const message of messages) void take(message)
})

/** Answers whether it could be opened; a thread that cannot open a transport sends nothing. */
async function open(transport: ThreadTransport): Promise<boolean> {
  if (transports.has(transport.key)) return true
  const opening = opened(transport)
  transports.set(transport.key, opening)
  try {
    await opening
    return true
  } catch (error) {
    tell({ it: 'failed', reason: `${transport.name}: inThread: ${textOf(error)}` })
    return false
  }
}

async function opened({ name, module, export: exported, options }: ThreadTransport): Promise<Opened<'transport'>> {
  noteModule(name, module)
  const made = ((await import(module)) as Record<string, (given: unknown) => Plugin<'transport'>>)[exported]
  if (made === undefined) throw new Error(`${module} exports no ${exported}`)
  const plugin = made(options)
  return plugin.open({ log: logOf({ plugin: plugin.name }), clock: systemClock })
}

/** Never rejects. */
async function close(key: string): Promise<void> {
  const closing = transports.get(key)
  transports.delete(key)
  try {
    const { transport, close } = (await closing) ?? {}
    await transport?.close?.()
    await close?.()
  } catch {
    // it was never open, or does not matter any more
  }
}

async function take(message: ToThread): Promise<void> {
  switch (message.do) {
    case 'keep content':
      contents.set(message.content.id, new CompiledMail(message.content, makers))
      break
    case 'forget content':
      contents.delete(message.contentId)
      break
    case 'keep keys':
      keys.set(message.owner, message.keys)
      break
    case 'forget keys':
      keys.clear()
      break
    case 'open transport':
      await open(message.transport)
      break
    case 'close transport':
      await close(message.key)
      break
    case 'send':
      await send(message)
      break
    case 'abort':
      running.get(message.number)?.abort(new Error('given up'))
      tell({ it: 'hears' })
      break
    case 'close':
      for (const key of [...transports.keys()]) await close(key)
      // the thread ends when nothing else is left; Deno's port has no close()
      parentPort?.unref()
  }
}

async function send(order: SendingOrder): Promise<void> {
  const { number } = order
  const controller = new AbortController()
  running.set(number, controller)
  let mail: OutgoingMail | undefined
  try {
    // taken now: it may be forgotten while the transport is at work
    const compiled = contents.get(order.contentId)
    const { transport } = (await transports.get(order.transport)) ?? {}
    if (!compiled || !transport) throw new Error('this thread knows neither its content nor its transport')
    mail = await made(compiled, order)
    const { signal } = controller
    const answer = signal.aborted ? GIVEN_UP : await transport.send(mail, signal)
    tell({ it: 'sent', number, subject: mail.subject, recipients: mail.envelope.to, answer })
  } catch (error) {
    if (mail) tell({ it: 'knows nothing', number, ...factsOf(mail), ...unknownOf(error) })
    else tell({ it: 'made nothing', number, problem: problemOf(error), isSlow: error instanceof SlowRender })
  } finally {
    running.delete(number)
  }
}

/** The mail, composed and signed, so that a mail that cannot be made is not mistaken for a failed transport. */
async function made(
  compiled: CompiledMail,
  { email, date, unwanted, ways, made }: SendingOrder,
): Promise<OutgoingMail> {
  const mail = compiled.fill(email, date, {
    ways,
    ...(unwanted === undefined ? {} : { unwanted }),
    ...(made === undefined ? {} : { made }),
  })
  await mail.raw()
  return mail
}

function factsOf({ subject, envelope }: OutgoingMail) {
  return { subject, recipients: envelope.to }
}

/** News are gathered until this thread has done what it has in hand: a message costs more than what it carries. */
function tell(message: FromThread): void {
  news.push(message)
  if (news.length > 1) return
  setImmediate(() => {
    const told = news
    news = []
    try {
      parentPort?.postMessage(told)
    } catch {
      // the answer of one of them cannot be copied
      for (const each of told)
        parentPort?.postMessage([each.it === 'sent' ? { ...each, answer: asCopied(each.answer) } : each])
    }
  })
}

/** The part of a transport's answer that can be copied. */
function asCopied(answer: unknown): unknown {
  try {
    return structuredClone(answer)
  } catch {
    return JSON.parse(JSON.stringify(answer) ?? 'null')
  }
}

function unknownOf(error: unknown) {
  const conversation: unknown = error instanceof Error ? Reflect.get(error, 'conversation') : undefined
  return { reason: textOf(error), conversation }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function logOf(own: LogFields): Log {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    const { error, ...others } = { ...own, ...fields }
    const text = error === undefined ? {} : { error: EngineError.is(error) ? error.message : String(error) }
    tell({ it: 'logs', level, message, fields: { ...others, ...text } })
  }
  const [debug, info, warn, error] = [at('debug'), at('info'), at('warn'), at('error')]
  return { debug, info, warn, error, with: (more) => logOf({ ...own, ...more }) }
}
