import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { acmeJson } from '../../examples/json-transport.ts'
import { mailTransportContract, outgoingMail } from '../contracts/index.ts'
import { startJsonProvider } from '../support/json-provider.ts'

const never = new AbortController().signal

async function start() {
  const provider = await startJsonProvider()
  const { url, apiKey } = provider
  const { transport } = await acmeJson({ url, apiKey }).open({ log: silentLog, clock: systemClock })
  return { ...provider, transport }
}

describe('the example of a transport for a provider that takes JSON', () => {
  mailTransportContract(async () => {
    const { transport, mails, moods, close } = await start()
    return {
      transport,
      speaks: 'fields',
      received: async () => mails,
      refuses: undefined,
      postpones: undefined,
      unplug: close,
      stall: () => {
        moods.isSilent = true
      },
      fails: (status) => {
        moods.status = status
      },
      garbles: (answer) => {
        moods.garbled = answer
      },
      cuts: () => {
        moods.cut = true
      },
      close,
    }
  })

  it('says which blind copies were refused, and that all were', async () => {
    const { transport, moods, close } = await start()
    onTestFinished(close)
    moods.refuses = 'b@example.com'
    const bcc = ['a@example.com', 'b@example.com'].map((email) => ({ email }))
    const mail = (...to: string[]) =>
      outgoingMail({ to: [{ email: 'ada@example.com' }], bcc, envelope: { from: 'x@sender.test', to } })
    const refused = { recipient: 'b@example.com', permanent: true, reason: '422 unknown' }
    expect(await transport.send(mail('a@example.com', 'b@example.com'), never)).toMatchObject({
      outcome: 'accepted',
      refused: [refused],
    })
    expect(await transport.send(mail('b@example.com'), never)).toMatchObject({ outcome: 'refused', permanent: true })
  })

  it('does not send blind copies again to those who have them when another one may be lost', async () => {
    const { transport, moods, mails, close } = await start()
    onTestFinished(close)
    const bcc = ['a@example.com', 'b@example.com'].map((email) => ({ email }))
    const to = bcc.map(({ email }) => email)
    const mail = outgoingMail({ to: [{ email: 'ada@example.com' }], bcc, envelope: { from: 'x@sender.test', to } })
    moods.cutFrom = 2
    const refused = [{ recipient: 'b@example.com', permanent: false }]
    expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted', refused })
    expect(mails).toHaveLength(2)
  })

  it('does not claim to know what became of a mail whose connection broke behind it', async () => {
    const { transport, moods, mails, close } = await start()
    onTestFinished(close)
    moods.cut = true
    await expect(transport.send(outgoingMail(), never)).rejects.toThrow()
    expect(mails).toHaveLength(1)
  })
})
