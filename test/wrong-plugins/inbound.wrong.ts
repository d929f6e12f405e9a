import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { InboundDesk, InboundMail } from '../../core/ports/inbound-mail.ts'
import { inboundMailContract, type SentMessage } from '../contracts/inbound-mail.ts'
import { right, wrong } from './wrong.ts'

interface Kept extends SentMessage {
  readonly key: string
  readonly at: Date
}

interface How {
  readonly leadsAlone?: true
  readonly momentOfItsOwn?: true
  readonly keyOfItsOwn?: true
  readonly oneKey?: true
  readonly marksFirst?: true
  readonly leavesWork?: true
  readonly deliversTwice?: true
  readonly readsText?: true
  readonly numbersFromOne?: true
  readonly keyOfItsProcess?: true
  readonly keepsLeading?: true
  readonly waitsForEver?: true
  readonly sourceOfItsOwn?: true
  readonly refusesLater?: true
  readonly keepsBareLf?: true
  readonly ignoresLoss?: true
}

/** A receiver that fetches from a list; it can go wrong in many ways. */
function fetcher(how: How, box: Kept[] = []) {
  const start = randomUUID()
  const keyOf = (key: string) => {
    if (how.keyOfItsOwn) return randomUUID()
    if (how.numbersFromOne) return String(box.findIndex((each) => each.key === key) + 1)
    return how.oneKey ? 'inbox' : how.keyOfItsProcess ? `${start} ${key}` : key
  }
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  const deliver = async (desk: InboundDesk, { envelope, raw, key, at }: Kept) => {
    for (const recipient of envelope.to) {
      const { outcome } = await desk.accepts(recipient, { from: envelope.from, remoteAddress: '' })
      if (outcome === 'later' && !how.refusesLater) throw new Error('not known yet')
      if (outcome === 'later') return
    }
    const text = raw.toString('latin1').replace(/\r?\n/g, '\r\n')
    const octets = how.keepsBareLf ? raw : Buffer.from(text, 'latin1')
    await desk.deliver({
      ...{ envelope, raw: how.readsText ? Buffer.from(raw.toString()) : octets },
      ...{ remoteAddress: '', helo: '', tls: false },
      receivedAt: how.momentOfItsOwn ? new Date() : at,
      fetched: { key: keyOf(key) },
    })
  }
  const live = async (desk: InboundDesk) => {
    const leadership = await desk.lead(how.sourceOfItsOwn ? randomUUID() : 'box')
    while (!stopping.signal.aborted) {
      const led = await leadership.confirm()
      for (const mail of led || how.leadsAlone ? [...box] : []) {
        if (!how.leadsAlone && !how.ignoresLoss && led?.aborted) break
        if (how.marksFirst) box.splice(box.indexOf(mail), 1)
        const isStored = await deliver(desk, mail).then(
          () => true,
          () => false,
        )
        if (isStored && how.deliversTwice) await deliver(desk, mail)
        if (isStored && !how.marksFirst) box.splice(box.indexOf(mail), 1)
        if (stopping.signal.aborted) break
      }
      await pause(5)
    }
    if (!how.keepsLeading) await leadership.release()
  }
  const inbound: InboundMail = {
    async start(desk) {
      running = live(desk)
    },
    async check() {
      if (stopping.signal.aborted) throw new Error('stopped')
    },
    async stop(graceMs) {
      stopping.abort()
      if (!how.leavesWork) await Promise.race([running, ...(how.waitsForEver ? [] : [pause(graceMs)])])
    },
  }
  const send = async (message: SentMessage) => void box.push({ ...message, key: randomUUID(), at: new Date() })
  const again = async () => fetcher(how, box).inbound
  return { inbound, send, again, fetches: true, close: () => inbound.stop(0) }
}
const contract = (how: How) => inboundMailContract(async () => fetcher(how))

right(() => contract({}))
wrong('fetches without leading', 'fetches only while it leads', () => contract({ leadsAlone: true }))
wrong('gives a message another moment each time', 'come again', () => contract({ momentOfItsOwn: true }))
wrong('gives a message another key each time', 'come again', () => contract({ keyOfItsOwn: true }))
wrong('gives all messages one key', 'its own key', () => contract({ oneKey: true }))
wrong('marks a message before it is stored', 'come again', () => contract({ marksFirst: true }))
wrong('stops while a message is being stored', 'stops when what is under way is stored', () =>
  contract({ leavesWork: true }),
)
wrong('hands each message over twice', 'hands it over once', () => contract({ deliversTwice: true }))
wrong('reads messages as text', 'keeps the octets', () => contract({ readsText: true }))
wrong('numbers the messages that are there', 'another key than one that is gone', () =>
  contract({ numbersFromOne: true }),
)
wrong('makes keys for its own process', 'after a restart', () => contract({ keyOfItsProcess: true }))
wrong('leads on when it has stopped', 'lets another process lead', () => contract({ keepsLeading: true }))
wrong('waits for what never ends', 'stops in time', () => contract({ waitsForEver: true }))
wrong('leads by another name in each process', 'under the same name in every process', () =>
  contract({ sourceOfItsOwn: true }),
)
wrong('drops what is not known to be for us yet', 'leaves a message where it is', () =>
  contract({ refusesLater: true }),
)
wrong('keeps bare line ends', 'lines that end with CRLF', () => contract({ keepsBareLf: true }))
wrong('ends the pass that it has begun', 'in the middle of a pass', () => contract({ ignoresLoss: true }))
