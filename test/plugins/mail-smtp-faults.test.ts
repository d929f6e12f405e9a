import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import type { Envelope, SendResult } from '../../core/ports/mail-transport.ts'
import type { Keeping } from '../../plugins/kit/smtp-client/connection.ts'
import { SmtpPool } from '../../plugins/kit/smtp-client/pool.ts'
import { type FaultAnswer, type FaultScript, type FaultSmtp, startFaultSmtp } from '../support/fault-smtp.ts'

const never = new AbortController().signal
const envelope = { from: 'from@sender.test', to: ['ada@example.com'] }
const two = { from: 'from@sender.test', to: ['ada@example.com', 'bob@example.com'] }
const message = Buffer.from('Subject: hi\r\n\r\n.dot\r\n')
const keeping = { pipelining: true, commandTimeout: 5_000, dataTimeout: 5_000, idleTimeout: 5_000 }

let server: FaultSmtp | undefined
const pools: SmtpPool[] = []

async function start(script: FaultScript = {}): Promise<FaultSmtp> {
  server = await startFaultSmtp(script)
  return server
}

function pool(how: Partial<Keeping & { connectTimeout: number }> = {}, maxConnections = 1): SmtpPool {
  const { connectTimeout = 5_000, ...kept } = how
  const hop = {
    host: '127.0.0.1',
    port: server!.port,
    secure: false,
    requireTls: false,
    name: 'me.test',
    connectTimeout,
  }
  const made = new SmtpPool(hop, { ...keeping, ...kept }, maxConnections)
  pools.push(made)
  return made
}

/** The result of it: the answer, or the error that was thrown. */
function send(from: SmtpPool, to: Envelope = envelope, signal = never, content = message): Promise<SendResult | Error> {
  return from.send(to, content, signal).catch((error: Error) => error)
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((made) => made.close()))
  await server?.drained()
  await server?.close()
  server = undefined
})

const modes = [
  ['over a pipeline', true],
  ['step by step', false],
] as const

describe.each(modes)('a connection cut %s', (_how, pipelining) => {
  const replies = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'END'] as const
  const expected = {
    greeting: { outcome: 'refused', permanent: false, stage: 'connect' },
    EHLO: { outcome: 'refused', permanent: false, stage: 'connect' },
    MAIL: { outcome: 'refused', permanent: false, stage: 'mail' },
    RCPT: { outcome: 'refused', permanent: false, stage: 'rcpt' },
    DATA: { outcome: 'refused', permanent: false, stage: 'data' },
    END: 'thrown',
    taken: { outcome: 'accepted' },
  } as const

  /** Which reply is cut off at each octet of a whole dialogue; `taken` once the last one has shown its code. */
  async function offsets(): Promise<((typeof replies)[number] | 'taken')[]> {
    const current = await start()
    expect(await send(pool({ pipelining }))).toMatchObject({ outcome: 'accepted' })
    const ends = current.connections[0]!.ends.slice(0, replies.length)
    const code = ends.at(-2)! + '250 '.length
    return Array.from({ length: ends.at(-1)! }, (_, at) =>
      at < code ? replies[ends.findIndex((end) => at < end)]! : 'taken',
    )
  }

  it('at any octet is a refusal for now until the message is written, then an error until its code has come', async () => {
    const cuts = await offsets()
    await server!.close()
    const current = await start({ cutAfter: (connection) => connection })
    for (const [at, reply] of cuts.entries()) {
      const result = await send(pool({ pipelining }))
      expect(current.connections).toHaveLength(at + 1)
      if (expected[reply] === 'thrown') {
        expect(result, `cut at ${at}, in the reply to ${reply}`).toBeInstanceOf(Error)
        expect(String(result)).toContain('whether it was taken is not known')
      } else expect(result, `cut at ${at}, in the reply to ${reply}`).toMatchObject(expected[reply])
    }
    expect(current.messages.length).toBeGreaterThanOrEqual(cuts.filter((reply) => reply === 'END').length)
    expect(await send(pool({ pipelining }))).toMatchObject({ outcome: 'accepted' })
  })

  it('at any octet of a later mail is mended silently as long as its end was not sent', async () => {
    const cuts = await offsets()
    const before = cuts.length
    const later = cuts.slice(cuts.indexOf('MAIL'))
    await server!.close()
    // every other connection is the fresh one
    const script = { cutAfter: (connection: number) => cutAt.get(connection) }
    const cutAt = new Map<number, number>()
    const current = await start(script)
    for (const [at, reply] of later.entries()) {
      const next = current.connections.length
      cutAt.set(next, before + at)
      const kept = pool({ pipelining })
      expect(await send(kept)).toMatchObject({ outcome: 'accepted' })
      const result = await send(kept)
      const where = `cut at ${at} of the second mail, in the reply to ${reply}`
      if (reply === 'END') expect(result, where).toBeInstanceOf(Error)
      else expect(result, where).toMatchObject({ outcome: 'accepted' })
      expect(current.connections.length - next, where).toBe(reply === 'END' || reply === 'taken' ? 1 : 2)
    }
  })
})

describe.each(modes)('replies %s', (_how, pipelining) => {
  it.each([1, 2, 3, 7])('are understood in packets of %d octets', async (packet) => {
    const extensions = ['PIPELINING', 'SIZE 1000000', '8BITMIME']
    const answer = (command: string) => (command === 'END' ? '250-2.0.0 Ok\r\n250 2.0.0 queued as 4F\r\n' : undefined)
    const current = await start({ packet, extensions, answer })
    const used = pool({ pipelining })
    for (const _mail of [1, 2]) {
      const response = '250 2.0.0 Ok 2.0.0 queued as 4F'
      expect(await send(used)).toEqual({ outcome: 'accepted', id: '4F', response, conversation: expect.any(Object) })
    }
    expect(current.connections).toHaveLength(1)
    expect(current.messages).toEqual(['Subject: hi\r\n\r\n..dot\r\n', 'Subject: hi\r\n\r\n..dot\r\n'])
  })

  it.each<[string, Record<string, FaultAnswer>, object]>([
    [
      'MAIL for good',
      { 'MAIL FROM': '550 5.7.1 Not you\r\n', 'RCPT TO': '503 no\r\n', DATA: '503 no\r\n' },
      { outcome: 'refused', permanent: true, stage: 'mail', code: 550, enhancedCode: '5.7.1', reason: 'Not you' },
    ],
    [
      'MAIL for now',
      { 'MAIL FROM': '451 4.3.0 Later\r\n', 'RCPT TO': '503 no\r\n', DATA: '503 no\r\n' },
      { outcome: 'refused', permanent: false, stage: 'mail', code: 451, enhancedCode: '4.3.0', reason: 'Later' },
    ],
    [
      'every RCPT, and DATA',
      { 'RCPT TO': '550-5.1.1 No\r\n550 5.1.1 such user\r\n', DATA: '554 5.5.1 No valid recipients\r\n' },
      { outcome: 'refused', permanent: true, stage: 'rcpt', code: 550, enhancedCode: '5.1.1', reason: 'No such user' },
    ],
    [
      'every RCPT, one of them for now',
      { 'RCPT TO:<ada': '550 No\r\n', 'RCPT TO:<bob': '450 4.2.1 Later\r\n', DATA: '554 No\r\n' },
      {
        ...{ outcome: 'refused', permanent: false, stage: 'rcpt', code: 450, enhancedCode: '4.2.1', reason: 'Later' },
        refused: [
          { recipient: 'ada@example.com', permanent: true, stage: 'rcpt', code: 550, reason: 'No' },
          { recipient: 'bob@example.com', permanent: false, code: 450 },
        ],
      },
    ],
    [
      'DATA',
      { DATA: '451 4.3.0 Disk full\r\n' },
      { outcome: 'refused', permanent: false, stage: 'data', code: 451, enhancedCode: '4.3.0', reason: 'Disk full' },
    ],
    [
      'the message for good',
      { END: '554 5.7.1 Spam\r\n' },
      { outcome: 'refused', permanent: true, stage: 'data', code: 554, enhancedCode: '5.7.1', reason: 'Spam' },
    ],
    [
      'the message for now',
      { END: '452 4.3.1 Too busy\r\n' },
      { outcome: 'refused', permanent: false, stage: 'data', code: 452, enhancedCode: '4.3.1', reason: 'Too busy' },
    ],
  ])('that refuse %s are told, and the connection goes on', async (_what, answers, refusal) => {
    const bad = Object.entries(answers)
    let mails = 0
    const answer = (command: string) => {
      if (command.startsWith('MAIL')) mails++
      return mails === 1 ? bad.find(([start]) => command.startsWith(start))?.[1] : undefined
    }
    const current = await start({ answer })
    const used = pool({ pipelining })
    expect(await send(used, two)).toMatchObject(refusal)
    expect(await send(used, two)).toMatchObject({ outcome: 'accepted' })
    expect(current.connections).toHaveLength(1)
    const { commands } = current.connections[0]!
    const second = commands.slice(commands.findIndex((command, i) => i > 0 && command === 'RSET'))
    const reset = 'END' in answers ? [] : ['RSET']
    const group = ['MAIL FROM:<from@sender.test> SIZE=21', ...two.to.map((to) => `RCPT TO:<${to}>`), 'DATA', 'END']
    expect(reset.length > 0 ? second : commands.slice(-group.length)).toEqual([...reset, ...group])
  })

  it('that refuse some recipients are listed while the others get the mail', async () => {
    const answer = (command: string) => (command.startsWith('RCPT TO:<ada') ? '550 5.1.1 Unknown\r\n' : undefined)
    const current = await start({ answer })
    expect(await send(pool({ pipelining }), two)).toEqual({
      conversation: expect.any(Object),
      outcome: 'accepted',
      id: 'F4U1T',
      response: '250 2.0.0 Ok: queued as F4U1T',
      refused: [
        {
          recipient: 'ada@example.com',
          permanent: true,
          stage: 'rcpt',
          code: 550,
          enhancedCode: '5.1.1',
          reason: 'Unknown',
        },
      ],
    })
    expect(current.messages).toHaveLength(1)
  })

  it('of 421 are a refusal for now wherever they come, and end the connection', async () => {
    const stages = { GREETING: 'connect', EHLO: 'connect', MAIL: 'mail', RCPT: 'rcpt', DATA: 'data', END: 'data' }
    for (const [command, stage] of Object.entries(stages)) {
      const closing = { say: '421 4.3.2 Shutting down\r\n', next: 'end' } as const
      const current = await start({ answer: (line) => (line.startsWith(command) ? closing : undefined) })
      expect([command, await send(pool({ pipelining }))]).toMatchObject([
        command,
        { outcome: 'refused', permanent: false, stage, code: 421, enhancedCode: '4.3.2' },
      ])
      expect(current.connections).toHaveLength(1)
      await current.close()
    }
  })

  it('of 421 to MAIL on a kept connection are mended by a fresh one', async () => {
    const answer = (command: string, connection: number): FaultAnswer | undefined =>
      connection === 0 && server!.messages.length === 1 && command.startsWith('MAIL')
        ? { say: '421 4.4.2 Idle too long\r\n', next: 'end' }
        : undefined
    const current = await start({ answer })
    const used = pool({ pipelining })
    for (const _mail of [1, 2]) expect(await send(used)).toMatchObject({ outcome: 'accepted' })
    expect(current.connections).toHaveLength(2)
  })

  it('of 421 behind the last one do not change what became of the mail', async () => {
    const answer = (command: string) => (command === 'END' ? '250 Ok\r\n421 Bye\r\n' : undefined)
    const current = await start({ answer })
    const used = pool({ pipelining })
    for (const _mail of [1, 2]) expect(await send(used)).toMatchObject({ outcome: 'accepted' })
    expect(current.connections).toHaveLength(2)
  })

  it.each<[string, string, string, string]>([
    ['no SMTP', 'MAIL', 'hello?\r\n', 'mail'],
    ['no SMTP', 'RCPT', 'HTTP/1.1 400 Bad Request\r\n', 'rcpt'],
    ['354 where it cannot be', 'MAIL', '354 go on\r\n', 'mail'],
    ['354 where it cannot be', 'RCPT', '354 go on\r\n', 'rcpt'],
    ['250 instead of 354', 'DATA', '250 Ok\r\n', 'data'],
    ['two different codes', 'DATA', '354-go\r\n250 on\r\n', 'data'],
    ['far too much', 'RCPT', `250-${'x'.repeat(20_000)}`, 'rcpt'],
  ])('that make no sense end the connection: %s to %s', async (_what, command, said, stage) => {
    const current = await start({ answer: (line) => (line.startsWith(command) ? said : undefined) })
    const result = await send(pool({ pipelining }))
    expect(result).toMatchObject({ outcome: 'refused', permanent: false })
    // a reply that breaks the dialogue is noticed at the command it came for
    expect(result).toMatchObject({ stage: stage === 'mail' ? expect.stringMatching(/mail|rcpt/) : stage })
    expect(current.messages).toEqual([])
    await current.drained()
  })

  it('of 2xx and something more to the message are taken, but what follows is not taken for the next mail', async () => {
    const answer = (command: string, connection: number) =>
      command === 'END' && connection === 0 ? '250 Ok\r\n250 Ok again\r\n' : undefined
    const current = await start({ answer })
    const used = pool({ pipelining })
    expect(await Promise.all([send(used), send(used)])).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'accepted' },
    ])
    expect(current.messages).toHaveLength(2)
    expect(current.connections).toHaveLength(2)
  })

  it.each([
    ['GREETING', 'connect', /not greeted within 0\.05 s.*set secure to true/],
    ['EHLO', 'connect', /not greeted within 0\.05 s/],
    ['MAIL', 'mail', /did not answer within 0\.06 s/],
    ['RCPT', 'rcpt', /did not answer within 0\.06 s/],
    ['DATA', 'data', /did not answer within 0\.06 s/],
  ])('that do not come to %s are not waited for', async (command, stage, reason) => {
    const current = await start({ answer: (line) => (line.startsWith(command) ? 'silence' : undefined) })
    const connectTimeout = stage === 'connect' ? 50 : 10_000
    expect(await send(pool({ pipelining, connectTimeout, commandTimeout: 60 }))).toMatchObject({
      outcome: 'refused',
      permanent: false,
      stage,
      reason: expect.stringMatching(reason),
    })
    await current.drained()
  })

  it('that do not come to the message are not waited for, and nobody knows', async () => {
    const current = await start({ answer: (line) => (line === 'END' ? 'silence' : undefined) })
    const result = await send(pool({ pipelining, dataTimeout: 50 }))
    expect(String(result)).toMatch(/did not answer within 0\.05 s.*not known/)
    await current.drained()
  })
})

describe('a pipeline', () => {
  it('sends MAIL, RCPT and DATA in one write and the message in one more', async () => {
    const current = await start()
    expect(await send(pool(), two)).toMatchObject({ outcome: 'accepted' })
    expect(current.connections[0]!.chunks.slice(1)).toEqual([
      'MAIL FROM:<from@sender.test> SIZE=21\r\nRCPT TO:<ada@example.com>\r\nRCPT TO:<bob@example.com>\r\nDATA\r\n',
      'Subject: hi\r\n\r\n..dot\r\n.\r\n',
    ])
  })

  it('never reaches beyond the end of a message', async () => {
    const current = await start()
    const used = pool()
    await Promise.all([send(used), send(used), send(used)])
    for (const chunk of current.connections[0]!.chunks) {
      expect(chunk.indexOf('\r\n.\r\n') + 5).toBeOneOf([4, chunk.length])
    }
  })

  it.each([
    ['every recipient', 'RCPT', 550],
    ['the sender', 'MAIL', 553],
  ])('is dropped without a dot when DATA is answered 354 although %s was refused', async (_what, command, code) => {
    const answer = (line: string) => (line.startsWith(command) ? `${code} No\r\n` : undefined)
    const current = await start({ answer })
    expect(await send(pool(), two)).toMatchObject({ outcome: 'refused', permanent: true, code })
    await current.drained()
    expect(current.messages).toEqual([])
    expect(current.connections[0]!.chunks).toHaveLength(2)
  })

  it('that was cut tells what was certain: the refusal of the only recipient', async () => {
    const answer = (line: string): FaultAnswer | undefined =>
      line.startsWith('RCPT') ? { say: '550 5.1.1 No\r\n', next: 'end' } : undefined
    await start({ answer })
    expect(await send(pool())).toMatchObject({ outcome: 'refused', permanent: true, stage: 'rcpt', code: 550 })
  })

  it('is not begun with a server that does not offer it', async () => {
    const current = await start({ extensions: [] })
    expect(await send(pool())).toMatchObject({ outcome: 'accepted' })
    expect(current.connections[0]!.chunks.slice(1)).toEqual([
      'MAIL FROM:<from@sender.test>\r\n',
      'RCPT TO:<ada@example.com>\r\n',
      'DATA\r\n',
      'Subject: hi\r\n\r\n..dot\r\n.\r\n',
    ])
  })
})

describe('a server that does not want us', () => {
  it.each([
    ['greets with 554', 'GREETING', '554-5.7.1 You are\r\n554 5.7.1 listed\r\n', 554],
    ['refuses EHLO and HELO', 'EHLO', '550 5.7.1 Go away\r\n', 550],
  ])('is named with its answer, and is not the fault of the mail: it %s', async (_what, command, said, code) => {
    const refusing = (line: string) => line === command || /^(EHLO|HELO)/.test(line)
    const current = await start({ answer: (line) => (refusing(line) ? said : undefined) })
    expect(await send(pool())).toEqual({
      outcome: 'refused',
      permanent: false,
      stage: 'connect',
      code,
      enhancedCode: '5.7.1',
      trouble: 'turned-away',
      reason: expect.stringMatching(
        `^127.0.0.1:${current.port}: the server does not want to talk to us: ${code} 5.7.1 `,
      ),
    })
  })
})

describe('a large message', () => {
  const large = Buffer.alloc(20_000_000, 'x'.repeat(70).concat('\r\n'))

  it('stops being written when the server refuses it early', async () => {
    const answer = (line: string) => (line === 'DATA' ? '354 go on\r\n552 5.3.4 Too big\r\n' : undefined)
    const current = await start({ answer })
    expect(await send(pool(), envelope, never, large)).toMatchObject({
      outcome: 'refused',
      permanent: true,
      stage: 'data',
      code: 552,
      enhancedCode: '5.3.4',
    })
    await current.drained()
    expect(current.messages).toEqual([])
  })

  it('is a refusal for now when the connection breaks in the middle of it', async () => {
    const answer = (line: string): FaultAnswer | undefined =>
      line === 'DATA' && server?.messages.length === 1 ? { say: '354 go on\r\n', next: 'reset' } : undefined
    await start({ answer })
    const used = pool()
    expect(await send(used)).toMatchObject({ outcome: 'accepted' })
    expect(await send(used, envelope, never, large)).toMatchObject({
      outcome: 'refused',
      permanent: false,
      stage: 'data',
    })
  })

  it('without a line break at its end is given one', async () => {
    const current = await start()
    expect(await send(pool(), envelope, never, Buffer.from('Subject: x\r\n\r\nno end'))).toMatchObject({
      outcome: 'accepted',
    })
    expect(current.messages).toEqual(['Subject: x\r\n\r\nno end\r\n'])
  })
})

describe('giving up', () => {
  it.each([
    ['GREETING', 'connect'],
    ['EHLO', 'connect'],
    ['MAIL', 'mail'],
    ['RCPT', 'rcpt'],
    ['DATA', 'data'],
  ])('while the server is silent about %s is a refusal for now', async (command, stage) => {
    const heard = Promise.withResolvers<void>()
    await start({
      answer: (line) => {
        if (!line.startsWith(command)) return undefined
        heard.resolve()
        return 'silence'
      },
    })
    const abort = new AbortController()
    const sending = send(pool({ pipelining: false }), envelope, abort.signal)
    await heard.promise
    abort.abort()
    expect(await sending).toMatchObject({ outcome: 'refused', permanent: false, stage })
  })

  it('after the message was handed over is an error: nobody knows', async () => {
    const heard = Promise.withResolvers<void>()
    const current = await start({
      answer: (line) => {
        if (line !== 'END') return undefined
        heard.resolve()
        return 'silence'
      },
    })
    const abort = new AbortController()
    const sending = send(pool(), envelope, abort.signal)
    await heard.promise
    abort.abort(new Error('took too long'))
    expect(String(await sending)).toMatch(/given up: took too long, after the message was handed over.*not known/)
    await current.drained()
  })

  it('is not listened for any longer than the mail takes', async () => {
    await start()
    const { signal } = new AbortController()
    const sending = send(pool(), envelope, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await sending
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('does not disturb the mail behind it in line', async () => {
    let silent = true
    const heard = Promise.withResolvers<void>()
    await start({
      answer: (line) => {
        if (!silent || !line.startsWith('MAIL')) return undefined
        heard.resolve()
        silent = false
        return 'silence'
      },
    })
    const abort = new AbortController()
    const used = pool()
    const first = send(used, envelope, abort.signal)
    const second = send(used)
    const third = send(used, envelope, abort.signal)
    await heard.promise
    abort.abort()
    expect(await Promise.all([first, second, third])).toMatchObject([
      { outcome: 'refused', stage: 'mail' },
      { outcome: 'accepted' },
      { outcome: 'refused', stage: 'connect' },
    ])
  })
})

describe('the envelope', () => {
  it.each([
    'a@b.test>\r\nRCPT TO:<x@y.test',
    'a b@c.test',
    'a\n@b.test',
    '<a@b.test>',
    'a\u0000@b.test',
    'a\u007f@b.test',
    'a\u0085@b.test',
    'a\u2028@b.test',
    'a@b\u3002c d.test',
    '',
  ])('cannot carry a second command: %j is an error', async (address) => {
    const current = await start()
    await expect(pool().send({ from: 'a@b.test', to: [address] }, message, never)).rejects.toThrow(TypeError)
    if (address !== '')
      await expect(pool().send({ from: address, to: ['a@b.test'] }, message, never)).rejects.toThrow(TypeError)
    expect(current.connections).toEqual([])
  })

  it('without recipients is an error', async () => {
    await start()
    await expect(pool().send({ from: 'a@b.test', to: [] }, message, never)).rejects.toThrow('has no recipients')
  })

  it('with a local part that is not ASCII needs SMTPUTF8, and is refused for good without', async () => {
    const current = await start({
      answer: (line) => (line.startsWith('EHLO') ? ehlo[current.connections.length - 1] : undefined),
    })
    const ehlo = ['250-a\r\n250 PIPELINING\r\n', '250-a\r\n250-PIPELINING\r\n250 SMTPUTF8\r\n']
    const to = ['jörg@bücher.example']
    const refusal = { outcome: 'refused', permanent: true, stage: 'mail', code: 553, enhancedCode: '5.6.7' }
    expect(await send(pool(), { from: '', to })).toMatchObject(refusal)
    expect(await send(pool(), { from: '', to })).toMatchObject({ outcome: 'accepted' })
    const [mail, rcpt] = current.connections[1]!.commands.slice(1)
    expect(mail).toBe('MAIL FROM:<> SMTPUTF8')
    expect(Buffer.from(rcpt!, 'latin1').toString()).toBe('RCPT TO:<jörg@xn--bcher-kva.example>')
  })
})
