import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { hiderOf } from '../../plugins/kit/smtp-client/secrets.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { type FaultScript, type FaultSmtp, startFaultSmtp } from '../support/fault-smtp.ts'

const never = new AbortController().signal
const kit = { log: silentLog, clock: { now: () => new Date() } }
const auth = { user: 'ada@example.com', pass: 'hünter2+/= Zebra' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const PLAIN = base64(`\0${auth.user}\0${auth.pass}`)
const LOGIN = base64(auth.pass)

let server: FaultSmtp | undefined
let transport: MailTransport | undefined

async function connect(script: FaultScript, options: { host?: string; requireTls?: boolean } = {}) {
  server = await startFaultSmtp(script)
  const plugin = smtp({ host: '127.0.0.1', port: server.port, auth, ...options })
  transport = (await plugin.open(kit)).transport
  return { server, transport }
}

afterEach(async () => {
  await transport?.close?.()
  await server?.close()
})

/** A server that lets every client in, by the mechanism it offers. */
function login(command: string): string | undefined {
  if (command.startsWith('AUTH PLAIN')) return '235 2.7.0 Welcome\r\n'
  if (command.startsWith('AUTH LOGIN')) return '334 VXNlcm5hbWU6\r\n'
  if (command === base64(auth.user)) return '334 UGFzc3dvcmQ6\r\n'
  return command === LOGIN ? '235 2.7.0 Welcome\r\n' : undefined
}

describe('a login where STARTTLS was taken out of the offer', () => {
  // 0.0.0.0 leads to this machine, too, and is no loopback address
  const elsewhere = '0.0.0.0'

  it.each([
    ['without a word'],
    ['with a server that answers STARTTLS, and then speaks no TLS', '220 go on\r\n'],
  ])('is not sent: %s', async (_how, starttls = '502 5.5.1 not implemented\r\n') => {
    const { server, transport } = await connect(
      {
        extensions: ['PIPELINING', 'AUTH PLAIN LOGIN'],
        answer: (command) => (command === 'STARTTLS' ? { say: starttls, next: 'end' } : login(command)),
      },
      { host: elsewhere },
    )
    const answer = await transport.send(outgoingMail(), never)
    expect(answer).toMatchObject({ outcome: 'refused', permanent: false, stage: 'connect' })
    const said = server.connections.flatMap(({ chunks }) => chunks).join('')
    expect(said).not.toContain('AUTH')
    expect(said).not.toContain(PLAIN)
    if (starttls.startsWith('502')) expect(answer).toMatchObject({ reason: expect.stringContaining('requireTls') })
  })

  it('goes out to this machine, and to another when requireTls is false', async () => {
    for (const options of [{ host: '127.0.0.1' }, { host: 'localhost' }, { host: elsewhere, requireTls: false }]) {
      const { server, transport } = await connect(
        { extensions: ['AUTH PLAIN'], answer: (command) => login(command) },
        options,
      )
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
      expect(server.connections.at(-1)?.commands.join()).toContain(`AUTH PLAIN ${PLAIN}`)
      await transport.close?.()
      await server.close()
    }
  })
})

describe('what a server repeats of the login', () => {
  const echoes = [
    ...[PLAIN, LOGIN, auth.pass, encodeURIComponent(auth.pass), encodeURIComponent(PLAIN)],
    // cut short, in capitals, within another line, as base64url
    ...[
      PLAIN.slice(0, 30),
      LOGIN.slice(3, 15),
      PLAIN.toUpperCase(),
      base64(`x${auth.pass}y`),
      base64(`xy=${auth.pass}`),
    ],
    Buffer.from(LOGIN, 'base64').toString('base64url'),
  ]
  const echo = `you said ${echoes.map((one) => `"AUTH ${one}"`).join(', ')} [x${PLAIN}x]`

  /** Six signs of any form are a find. */
  function traces(text: string): string[] {
    const lower = text.toLowerCase()
    return [...echoes, auth.user === '' ? '' : PLAIN].flatMap((form) => {
      const pieces = Array.from({ length: Math.max(0, form.length - 6) }, (_, at) =>
        form.slice(at, at + 7).toLowerCase(),
      )
      return pieces.filter((piece) => lower.includes(piece))
    })
  }

  it.each<[string, FaultScript['answer']]>([
    ['the greeting', (command) => (command === 'GREETING' ? `554 5.7.0 ${echo}\r\n` : undefined)],
    ['EHLO and HELO', (command) => (/^(EHLO|HELO)/.test(command) ? `550 5.7.0 ${echo}\r\n` : undefined)],
    ['AUTH PLAIN', (command) => (command.startsWith('AUTH') ? `535 5.7.8 ${echo}\r\n` : undefined)],
    ['AUTH with a line that is no reply', (command) => (command.startsWith('AUTH') ? `?? ${echo}\r\n` : undefined)],
    ['AUTH LOGIN', (command) => (command === LOGIN ? `535-5.7.8 ${echo}\r\n535 5.7.8 ${echo}\r\n` : login(command))],
    ['MAIL', (command) => login(command) ?? (command.startsWith('MAIL') ? `530 5.7.0 ${echo}\r\n` : undefined)],
    ['RCPT', (command) => login(command) ?? (command.startsWith('RCPT') ? `550 5.1.1 ${echo}\r\n` : undefined)],
    [
      'MAIL with 421',
      (command) => login(command) ?? (command.startsWith('MAIL') ? `421 4.7.0 ${echo}\r\n` : undefined),
    ],
    [
      'RCPT with a line that is no reply',
      (command) => login(command) ?? (command.startsWith('RCPT') ? `?? ${PLAIN}\r\n` : undefined),
    ],
    ['the message, refused', (command) => login(command) ?? (command === 'END' ? `554 5.6.0 ${echo}\r\n` : undefined)],
    [
      'the message, taken',
      (command) => login(command) ?? (command === 'END' ? `250 2.0.0 queued as 4F ${echo}\r\n` : undefined),
    ],
  ])('is hidden in its answer to %s', async (what, answer) => {
    const { transport } = await connect({
      extensions: [`AUTH ${what === 'AUTH LOGIN' ? 'LOGIN' : 'PLAIN'}`],
      ...(answer === undefined ? {} : { answer }),
    })
    const result = await transport.send(outgoingMail(), never).catch((error: unknown) => error)
    const checked = await transport.check?.().catch((error: unknown) => error)
    const seen = inspect([result, checked], { depth: 10, showHidden: true, maxStringLength: null })
    expect(traces(seen)).toEqual([])
    if (result instanceof Error === false && !what.includes('no reply')) expect(seen).toContain('[hidden]')
  })

  it('is hidden, and no other word', () => {
    const hide = hiderOf(auth)
    for (const text of [
      ...['5.1.1 No such user here', '2.0.0 Ok: queued as 4F1B2C', '5.7.8 Username and Password not accepted'],
      'https://support.example.com/?p=BadCredentials a640c23a62f3a-ab7sm12-gsmtp',
    ]) {
      expect(hide(text)).toBe(text)
    }
    expect(hide(`bad (${auth.pass}).`)).toBe('bad ([hidden]).')
  })

  it('is hidden as a word when the password is short', () => {
    const hide = hiderOf({ user: 'a', pass: 'mail' })
    expect(hide('mail: Mail refused for mailbox hotmail: AUTH LOGIN bWFpbA== (mail)')).toBe(
      '[hidden]: Mail refused for mailbox hotmail: AUTH LOGIN [hidden] ([hidden])',
    )
  })
})
