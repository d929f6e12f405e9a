import { expect } from 'vitest'
import type { RawMail } from './raw-mail.ts'

/* Every mail that a sink receives is checked against the standards, whatever its test is about. */

let received: RawMail[] = []
const keys = new Map<string, string>()

/** A test's first mails are all checked; of further ones, which are alike, every tenth. */
const CHECK_ALL_UP_TO = 300

/** Notes a mail to check when the test is over, so that no measurement is disturbed. */
export function noteMail(mail: RawMail): void {
  received.push(mail)
}

/** Publishes a key (its TXT record). From now on, mail signed with it must verify. */
export function noteKey(name: string, record: string): void {
  keys.set(name, record)
}

/** Checks the mails received since the last call. Fails when one of them is wrong. */
export async function checkReceived(): Promise<void> {
  const mails = received.filter((_, i) => i < CHECK_ALL_UP_TO || i % 10 === 0)
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
