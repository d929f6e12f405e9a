import { createTransport } from 'nodemailer'
import { afterEach, expect, it } from 'vitest'
import type { InboundDesk, InboundMail, ReceivedMessage } from '../../core/ports/inbound-mail.ts'

/** What the contract needs of one receiver. */
export interface InboundMailSubject {
  readonly inbound: InboundMail
  /** The port of 127.0.0.1 it takes SMTP on, once it was started. */
  port(): number
  close(): Promise<void>
}

/** What every receiver of mail promises. Its messages are sent by SMTP. */
export function inboundMailContract(setup: () => Promise<InboundMailSubject>) {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  async function started(desk: Partial<InboundDesk> = {}) {
    const subject = await setup()
    closers.push(() => subject.close())
    const messages: ReceivedMessage[] = []
    await subject.inbound.start({
      accepts: async () => ({ outcome: 'accepted' }),
      deliver: async (message) => void messages.push(message),
      ...desk,
    })
    const transport = createTransport({ host: '127.0.0.1', port: subject.port(), ignoreTLS: true })
    return { ...subject, messages, send: (mail: object) => transport.sendMail(mail) }
  }

  it('hands each message over with its envelope and its bytes', async () => {
    const { messages, send } = await started()
    const envelope = { from: 'bounce@a.example', to: ['one@b.example', 'two@b.example'] }
    await send({ from: 'author@a.example', to: 'list@b.example', subject: 'Grüße', text: '.dot\r\n', envelope })
    expect(messages).toMatchObject([{ envelope, tls: false, receivedAt: expect.any(Date) }])
    const raw = Buffer.from(messages[0]?.raw ?? []).toString()
    expect(raw).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(raw).toContain('\r\n.dot\r\n')
    expect(raw).not.toMatch(/[^\r]\n/)
  })

  it('takes the null sender', async () => {
    const { messages, send } = await started()
    await send({ from: 'a@a.example', to: 'b@b.example', text: 'x', envelope: { from: '', to: ['b@b.example'] } })
    expect(messages[0]?.envelope.from).toBe('')
  })

  it('asks for every recipient who sent it, and says what the desk said', async () => {
    const asked: unknown[] = []
    const { send, messages } = await started({
      accepts: async (recipient, about) => {
        asked.push([recipient, about])
        if (recipient === 'later@b.example') return { outcome: 'later', message: 'not now' }
        return { outcome: 'refused', status: '5.1.1', message: 'nobody here' }
      },
    })
    const mail = { from: 'a@a.example', text: 'x' }
    await expect(send({ ...mail, to: 'no@b.example' })).rejects.toMatchObject({ responseCode: 550 })
    await expect(send({ ...mail, to: 'no@b.example' })).rejects.toThrow(/5\.1\.1 .*nobody here/)
    await expect(send({ ...mail, to: 'later@b.example' })).rejects.toMatchObject({ responseCode: 451 })
    expect(asked[0]).toEqual(['no@b.example', { from: 'a@a.example', remoteAddress: '127.0.0.1' }])
    expect(messages).toEqual([])
  })

  it('asks the sender to come again when the message was not stored', async () => {
    const { send } = await started({ deliver: () => Promise.reject(new Error('no room')) })
    await expect(send({ from: 'a@a.example', to: 'b@b.example', text: 'x' })).rejects.toMatchObject({
      responseCode: 451,
    })
  })

  it('says whether it receives, and receives nothing after stop', async () => {
    const { inbound, send, messages } = await started()
    await inbound.check()
    await inbound.stop(1000)
    await expect(inbound.check()).rejects.toThrow()
    await expect(send({ from: 'a@a.example', to: 'b@b.example', text: 'x' })).rejects.toThrow()
    expect(messages).toEqual([])
  })
}
