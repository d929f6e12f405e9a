import { generateKeyPairSync, sign } from 'node:crypto'
import { signMessage } from '../core/mail/dkim/sign-message.ts'
import { rsaKey } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { filledHtml } from './sample-mail.ts'

const MAILS = 3_000
const AT_A_TIME = 32

/** The cost of a DKIM signature for the event loop: as it is made, and if it were made there. */
export async function measureSigning(): Promise<readonly Figure[]> {
  const privateKey = rsaKey()
  const keys = [{ domain: 'example.com', selector: 'bench', privateKey }]
  const header = ['From: a@example.com', 'To: b@example.org', 'Subject: News', 'Date: x', 'Message-ID: <1@example.com>']
  const message = Buffer.from(`${header.join('\r\n')}\r\n\r\n${filledHtml(1).replaceAll('\n', '\r\n')}`)
  const signOne = () => signMessage(message, keys, { at: new Date() })
  for (let i = 0; i < MAILS / 10; i++) await signOne()

  const before = process.threadCpuUsage()
  const begun = performance.now()
  let left = MAILS
  const line = async () => {
    while (left-- > 0) await signOne()
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, line))
  const seconds = (performance.now() - begun) / 1000
  const busy = microseconds(before)

  const alone = process.threadCpuUsage()
  for (let i = 0; i < MAILS; i++) sign('sha256', message.subarray(0, 500), privateKey)
  const signature = microseconds(alone)
  const key25519 = generateKeyPairSync('ed25519').privateKey
  const alsoAlone = process.threadCpuUsage()
  for (let i = 0; i < MAILS; i++) sign(null, message.subarray(0, 500), key25519)
  const ed25519 = microseconds(alsoAlone)
  const note = `RSA-2048, ${Math.round(message.length / 1000)} KB`
  return [
    { what: 'DKIM signature, time of the main thread', value: busy, unit: 'us', note },
    { what: 'DKIM signature, if it were made on the main thread', value: busy + signature, unit: 'us', note },
    { what: 'RSA-2048 signature', value: signature, unit: 'us', note: 'CPU of one alone' },
    { what: 'Ed25519 signature', value: ed25519, unit: 'us', note: 'CPU of one alone' },
    { what: 'DKIM signatures in the thread pool', value: MAILS / seconds, unit: 'mails/s', note },
  ]
}

/** The CPU time of this thread since then, per mail. */
function microseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / MAILS
}
