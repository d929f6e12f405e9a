import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InboundDesk } from '../../core/ports/inbound-mail.ts'
import type { Log } from '../../core/ports/log.ts'
import { writtenEnvelope } from '../../plugins/inbound-imap/envelope.ts'
import { findMessage } from '../../plugins/inbound-imap/find-message.ts'
import { MailboxReader } from '../../plugins/inbound-imap/mailbox-reader.ts'
import { InboundImapOptions } from '../../plugins/inbound-imap/options.ts'
import { inboundMailContract } from '../contracts/inbound-mail.ts'
import { ImapServer, type ImapServerOptions, startImapServer } from '../support/imap-server.ts'
import { inboundDesk } from '../support/inbound-desk.ts'
import { ownTime } from '../support/own-time.ts'
import { until } from '../support/until.ts'

const CA = readFileSync(fileURLToPath(new URL('../support/localhost-cert.pem', import.meta.url)), 'utf8')
const LOGIN = { user: 'box', pass: 'open sesame' }

function readerOf(port: number, given: object, log: Log): MailboxReader {
  const base = { host: '127.0.0.1', port, secure: false, auth: LOGIN, pollSeconds: 0.05 }
  return new MailboxReader(v.parse(InboundImapOptions, { ...base, ...given }), log, { now: () => new Date() })
}

/** The log: level and words, and the UID each line is about. */
function recordingLog() {
  const lines: string[] = []
  const at = (level: string) => (message: string, fields?: object) => {
    lines.push(`${level} ${message}${fields && 'uid' in fields ? ` (${fields.uid})` : ''}`)
  }
  const log: Log = {
    ...{ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    with: () => log,
  }
  return { log, lines, loud: () => lines.filter((line) => /^(?:warn|error)/.test(line)) }
}

interface Reading {
  readonly options?: object
  readonly desk?: Partial<InboundDesk>
  readonly server?: ImapServerOptions
  /** The state of the mailbox before it is read. */
  prepare?(server: ImapServer): void
}

async function reading({ options = {}, desk: more = {}, server: serverOptions = {}, prepare }: Reading = {}) {
  const server = await startImapServer(serverOptions)
  onTestFinished(() => server.close())
  prepare?.(server)
  const { desk, taken } = inboundDesk(more)
  const { log, lines, loud } = recordingLog()
  const reader = readerOf(server.port, options, log)
  onTestFinished(() => reader.stop(100))
  await reader.start(desk)
  return { server, reader, desk, taken, lines, loud }
}

const message = (subject: string, ...fields: string[]) =>
  [...fields, 'From: Ada <ada@friend.example>', `Subject: ${subject}`, '', 'words', ''].join('\r\n')
const ours = (subject: string) =>
  message(subject, 'Return-Path: <ada@friend.example>', 'Delivered-To: help@ours.example')
const subjects = (taken: readonly { readonly raw: Uint8Array }[]) =>
  taken.map(({ raw }) => /^Subject: (.*)\r$/m.exec(Buffer.from(raw).toString())?.[1])

describe('inbound-imap as an inbound port', () => {
  inboundMailContract(async () => {
    const server = await startImapServer()
    const inbound = readerOf(server.port, {}, recordingLog().log)
    return {
      inbound,
      fetches: true,
      again: async () => readerOf(server.port, {}, recordingLog().log),
      send: async ({ envelope: { from, to }, raw }) => {
        const trace = [`Return-Path: <${from}>`, ...to.map((each) => `Delivered-To: ${each}`), ''].join('\r\n')
        server.append(Buffer.concat([Buffer.from(trace), raw]))
      },
      close: async () => {
        await inbound.stop(0)
        await server.close()
      },
    }
  })
})

describe('a mailbox', () => {
  it('is read in its order, and a message marked only when it is stored', async () => {
    const gate = Promise.withResolvers<void>()
    const marks: string[][] = []
    const { server, taken } = await reading({
      desk: {
        deliver: async (given) => {
          marks.push(server.flags())
          if (taken.push(given) === 2) await gate.promise
        },
      },
      prepare: (server) => {
        for (const subject of ['one', 'two', 'three']) server.append(ours(subject))
        server.append(ours('read'), { flags: new Set(['\\Seen']) })
      },
    })
    await until('the second comes', () => taken.length === 2)
    await pause(80)
    expect([subjects(taken), marks.at(-1)]).toEqual([
      ['one', 'two'],
      ['1:', '2:', '3:', '4: \\Seen'],
    ])
    gate.resolve()
    await until('all are marked', () => server.flags().every((flags) => flags.endsWith('\\Seen')))
    expect(subjects(taken)).toEqual(['one', 'two', 'three'])
  })

  it('that has news says so: it is there at once, and nothing is asked meanwhile', async () => {
    const { server, taken } = await reading({ options: { pollSeconds: 60 } })
    await until('it waits', () => server.commands.includes('IDLE'))
    const asked = server.commands.length
    await pause(100)
    expect(server.commands.length).toBe(asked)
    server.append(ours('news'))
    await until('it comes', () => taken.length === 1, 1_000)
    await until('it waits again', () => server.commands.filter((each) => each === 'IDLE').length === 2)
  })

  it('whose server cannot tell is looked at again and again', async () => {
    const { server, taken } = await reading({ server: { capabilities: ['UIDPLUS'] } })
    await until('it was looked at', () => server.commands.some((each) => each.startsWith('UID SEARCH')))
    server.append(ours('later'))
    await until('it comes', () => taken.length === 1)
    expect(server.commands).not.toContain('IDLE')
  })

  it.each([
    ['delete', undefined],
    [{ move: 'Read' }, ['1: \\Seen']],
  ])('loses what is stored when it is to: %j', async (after, moved) => {
    const { server, taken } = await reading({ options: { after }, prepare: (server) => server.append(ours('x')) })
    await until('it is gone', () => taken.length === 1 && server.flags().length === 0)
    expect(server.mailboxes.has('Read') ? server.flags('Read') : undefined).toEqual(moved)
  })

  it('of a server without UIDPLUS loses nothing that others have marked', async () => {
    const { server } = await reading({
      ...{ options: { after: 'delete' }, server: { capabilities: ['IDLE'] } },
      prepare: (server) => {
        server.append(ours('theirs'), { flags: new Set(['\\Deleted']) })
        server.append(ours('ours'))
      },
    })
    await until('it is marked', () => server.flags()[1] === '2: \\Deleted \\Seen')
    await pause(80)
    expect(server.flags()).toEqual(['1: \\Deleted', '2: \\Deleted \\Seen'])
  })

  it('keeps what is too large or is not given out, which is said once and not asked for again', async () => {
    const { server, taken, loud } = await reading({
      options: { maxSize: 2_000 },
      prepare: (server) => {
        server.append(ours('x'.repeat(3_000)))
        server.append(ours('y'.repeat(3_000)), { size: 100 })
        server.append(ours('broken'), { isBroken: true })
        server.append(ours('good'))
      },
    })
    await until('the good one is marked', () => server.flags()[3]?.endsWith('\\Seen'))
    await until('the broken one is left', () => loud().length === 3)
    const fetches = () => server.commands.filter((each) => each.startsWith('UID FETCH')).length
    const before = fetches()
    await pause(200)
    expect(fetches()).toBe(before)
    expect(loud().sort()).toEqual([
      'warn a message cannot be fetched; it stays where it is, unread (3)',
      'warn a message is too large; it stays where it is, unread (1)',
      'warn a message is too large; it stays where it is, unread (2)',
    ])
    expect([subjects(taken), server.flags().slice(0, 3)]).toEqual([['good'], ['1:', '2:', '3:']])
  })

  it('with very many messages is read a page at a time, with few commands', async () => {
    const { server, taken } = await reading({
      prepare: (server) => {
        for (let i = 1; i <= 120; i++) server.append(ours(`n${i}`))
      },
    })
    await until('all are marked', () => server.flags().every((flags) => flags.endsWith('\\Seen')))
    expect(subjects(taken)).toEqual(Array.from({ length: 120 }, (_, i) => `n${i + 1}`))
    expect(server.commands.filter((each) => /^UID (?:FETCH|STORE)/.test(each)).length).toBeLessThan(10)
  })

  it('is left alone while nothing can be stored, and read when it can be', async () => {
    let isFull = true
    const { server, taken, loud } = await reading({
      desk: {
        deliver: async (given) => {
          if (isFull) throw new Error('no room')
          taken.push(given)
        },
      },
      options: { pollSeconds: 0.2 },
      prepare: (server) => {
        for (let i = 1; i <= 8; i++) server.append(ours(`n${i}`))
      },
    })
    await until('it gave up for now', () => loud().length === 3)
    await pause(50)
    expect(loud()).toHaveLength(3)
    isFull = false
    await until('all are marked', () => server.flags().every((flags) => flags.endsWith('\\Seen')))
    expect(subjects(taken).sort()).toEqual(Array.from({ length: 8 }, (_, i) => `n${i + 1}`))
  })
})

describe('a connection that ends', () => {
  it('between store and mark brings no message a second time, and the mark is made later', async () => {
    let cuts = 0
    const { server, taken, loud } = await reading({
      prepare: (server) => {
        server.append(ours('once'))
        server.before = (command) => (command.startsWith('UID STORE') && cuts++ === 0 ? 'cut' : undefined)
      },
    })
    await until('it is marked', () => server.flags()[0] === '1: \\Seen')
    expect(subjects(taken)).toEqual(['once'])
    expect(loud()).toHaveLength(1)
  })

  it('is made again, and whose UIDs then mean other messages has them all read, each under its own name', async () => {
    const { server, taken } = await reading({ prepare: (server) => server.append(ours('old')) })
    await until('the first is marked', () => server.flags()[0] === '1: \\Seen')
    const box = server.mailbox('INBOX')
    Object.assign(box, { uidValidity: 77, uidNext: 1, messages: [] })
    server.append(ours('new'))
    server.cut()
    await until('the other one comes', () => taken.length === 2, 5_000)
    expect(subjects(taken)).toEqual(['old', 'new'])
    expect(taken[0]?.fetched?.key).not.toBe(taken[1]?.fetched?.key)
  })

  it('is no trouble for a minute; a server that is away at start is found when it is there', async () => {
    const { log, loud } = recordingLog()
    const gone = await startImapServer()
    const { port } = gone
    await gone.close()
    const { desk, taken } = inboundDesk()
    const reader = readerOf(port, {}, log)
    onTestFinished(() => reader.stop(100))
    await reader.start(desk)
    await until('it was tried', () => loud().length === 1)
    await reader.check()
    const server = await new ImapServer({}).listen(port)
    onTestFinished(() => server.close())
    server.append(ours('back'))
    await until('it comes', () => taken.length === 1, 5_000)
    expect(loud()).toHaveLength(1)
  })
})

describe('a reader', () => {
  it('says at once what somebody must mend: the login, the mailbox, one that can only be read', async () => {
    const wrong = await reading({ options: { auth: { ...LOGIN, pass: 'no' } } })
    await until('it says so', () => wrong.loud().length === 1)
    await expect(wrong.reader.check()).rejects.toThrow('the server refuses the login: wrong password')
    const none = await reading({ options: { mailbox: 'Bounces' } })
    await until('it says so', () => none.loud().length === 1)
    await expect(none.reader.check()).rejects.toThrow('no such mailbox')
    const still = await reading({
      prepare: (server) => {
        server.mailbox('INBOX').readOnly = true
        server.append(ours('x'))
      },
    })
    await until('it says so', () => still.loud().length === 1)
    expect([still.loud()[0], still.taken]).toEqual([expect.stringContaining('can only be read'), []])
    await pause(200)
    expect(wrong.server.commands.filter((each) => each === 'AUTHENTICATE')).toHaveLength(1)
  })

  it('sends its password to nobody in the clear, but to this machine or where that is allowed', async () => {
    const far = { host: '127.0.0.1.nip.invalid' }
    expect(v.parse(InboundImapOptions, { ...far, auth: LOGIN })).toMatchObject({ secure: true })
    const strict = await reading({ options: { requireTls: true } })
    await until('it says so', () => strict.loud().length === 1)
    expect(strict.server.commands).not.toContain('AUTHENTICATE')
    const tls = { ca: CA, servername: 'localhost' }
    const upgraded = await reading({
      ...{ server: { tls: 'starttls' }, options: { requireTls: true, tls } },
      prepare: (server) => server.append(ours('a')),
    })
    const whole = await reading({
      ...{ server: { tls: 'always' }, options: { secure: true, tls } },
      prepare: (server) => server.append(ours('b')),
    })
    await until('both come', () => upgraded.taken.length + whole.taken.length === 2)
    expect([upgraded.taken[0]?.tls, whole.taken[0]?.tls]).toEqual([true, true])
    const stranger = await reading({ server: { tls: 'always' }, options: { secure: true } })
    await until('the certificate is refused', () => stranger.loud().length === 1)
    expect(stranger.server.commands).toEqual([])
  })

  it('leaves a mailbox to the process that leads, and takes it over', async () => {
    let leads = false
    const lost = new AbortController()
    let isReleased = false
    const lead = async () => ({
      confirm: async () => (leads ? lost.signal : undefined),
      release: async () => {
        isReleased = true
      },
    })
    const { server, reader, taken } = await reading({
      desk: { lead },
      prepare: (server) => server.append(ours('x')),
    })
    await pause(100)
    await reader.check()
    expect([server.commands, taken]).toEqual([[], []])
    leads = true
    await until('it comes', () => taken.length === 1, 3_000)
    leads = false
    lost.abort()
    await until('it lets go', () => server.connections === 0)
    await reader.stop(500)
    expect(isReleased).toBe(true)
  })
})

describe('the envelope', () => {
  it('is taken from what servers wrote, else from the configuration, and from nothing the author says', async () => {
    const { taken } = await reading({
      options: { address: 'box@ours.example' },
      prepare: (server) => {
        const near = 'Delivered-To: virtual-42'
        server.append(message('a', 'Return-Path: <>', 'Delivered-To: me@mail.example', 'X-Original-To: a@ours.example'))
        server.append(message('b', near, 'Delivered-To: me@mail.example', 'To: boss@ours.example'))
        server.append(message('c', 'Return-path: <p@q.example>', 'Envelope-to: b@ours.example, c@ours.example'))
      },
    })
    await until('all come', () => taken.length === 3)
    expect(taken.map(({ envelope }) => envelope)).toEqual([
      { from: '', to: ['a@ours.example'] },
      { from: 'ada@friend.example', to: ['box@ours.example'] },
      { from: 'p@q.example', to: ['b@ours.example', 'c@ours.example'] },
    ])
    expect(taken.map(({ remoteAddress, helo }) => remoteAddress + helo)).toEqual(['', '', ''])
  })

  it.each([
    ['nothing', ''],
    ['a header without an end', 'Delivered-To: a@b.example\r\n'.repeat(500_000)],
    ['one field', `Delivered-To: ${'a@b.example,'.repeat(500_000)}`],
    ['no fields', '\r\n'.repeat(500_000)],
    ['colons', ':\r\n'.repeat(500_000)],
    ['spaces', `Return-Path: ${' '.repeat(5_000_000)}`],
  ])('of %s is found in a moment', (_name, raw) => {
    const bytes = Buffer.from(raw)
    const own = ownTime()
    expect(writtenEnvelope(bytes).to.length).toBeLessThanOrEqual(20)
    expect(own()).toBeLessThan(250)
  })
})

describe('a look for a message', () => {
  it('ends when its time was up before it could connect', async () => {
    const server = await startImapServer()
    const login = {
      host: '127.0.0.1',
      port: server.port,
      security: 'none',
      user: 'box',
      password: 'open sesame',
    } as const
    const look = findMessage({ ...login, publicOr: ['127.0.0.1'] }, undefined, AbortSignal.abort())
    await expect(look).rejects.toThrow('it did not answer in time')
    expect(server.commands).toEqual([])
    await server.close()
  })
})
