import { expect } from 'vitest'
import type { RawMail } from './raw-mail.ts'

/* Every mail that a sink of a test file receives is held to the standards, whatever the test is about. */

let received: RawMail[] = []
const keys = new Map<string, string>()

/** Of so many mails of a test each is checked; of more, which are alike, every tenth. */
const EACH = 300

/** Has a mail looked at when the test is over, where that can disturb no measurement. */
export function noteMail(mail: RawMail): void {
  received.push(mail)
}

/** Publishes a key (its TXT record): from now on what is signed with it must verify. */
export function noteKey(name: string, record: string): void {
  keys.set(name, record)
}

/** Looks at what came since the last look; fails when one of them is wrong. */
export async function checkReceived(): Promise<void> {
  const mails = received.filter((_, i) => i < EACH || i % 10 === 0)
  received = []
  if (mails.length === 0) return
  const { rawMailProblems, signatureProblems } = await import('./raw-mail.ts')
  const wrong: { readonly problems: readonly string[]; readonly head: string }[] = []
  for (const mail of mails) {
    const problems = [...rawMailProblems(mail), ...(await signatureProblems(mail.raw, keys))]
    const head = Buffer.from(mail.raw).toString('latin1').slice(0, 2000)
    if (problems.length > 0) wrong.push({ problems, head })
  }
  const message = `a mail that was sent is not right:\n${wrong[0]?.head}`
  expect([...new Set(wrong.flatMap(({ problems }) => problems))], message).toEqual([])
}
