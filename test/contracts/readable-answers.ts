import type { MailTransport, OutgoingMail } from '../../core/ports/mail-transport.ts'
import { isObject } from '../../core/values/json.ts'

/**
 * The transport. What the engine cannot read in its answers is noted, for the test to look at in its end: thrown here, it
 * would pass for a mail whose outcome is unknown.
 */
export function withReadableAnswers(transport: MailTransport, unreadable: string[]): MailTransport {
  const { concurrency, reach } = transport
  return {
    concurrency,
    ...(reach === undefined ? {} : { reach }),
    async send(mail, signal) {
      const result = await transport.send(mail, signal)
      unreadable.push(...oddities(result, mail))
      return result
    },
    ...(transport.check ? { check: async () => transport.check?.() } : {}),
    close: async () => transport.close?.(),
  }
}

type Test = (given: unknown) => boolean
const isText: Test = (given) => typeof given === 'string' && given.trim() !== ''
const isCode: Test = (given) => Number.isInteger(given) && Number(given) >= 100 && Number(given) <= 599
const isTrue: Test = (given) => given === true
const isBoolean: Test = (given) => typeof given === 'boolean'

const ACCEPTED = { id: isText, messageId: isText, response: (given: unknown) => typeof given === 'string' }
const REFUSAL = {
  noTls: isTrue,
  noHop: isTrue,
  code: isCode,
  enhancedCode: (given: unknown) => typeof given === 'string' && /^[245](\.\d{1,3}){2}$/.test(given),
}

function oddities(given: unknown, mail: OutgoingMail): readonly string[] {
  if (!isObject(given)) return [`it is ${String(given)}, not an object`]
  const refused = refusedIn(given.refused, mail)
  if (given.outcome === 'accepted') {
    return [...wrong(given, '', { ...ACCEPTED, deliveryPending: isBoolean }), ...refused, ...talkIn(given.conversation)]
  }
  if (given.outcome !== 'refused') return [`outcome is ${String(given.outcome)}, not accepted or refused`]
  return [...refusalIn(given, ''), ...refused, ...talkIn(given.conversation)]
}

function refusalIn(given: Readonly<Record<string, unknown>>, at: string): readonly string[] {
  const needed = [
    ...(isBoolean(given.permanent) ? [] : [`${at}permanent is not true or false`]),
    ...(['connect', 'mail', 'rcpt', 'data'].includes(String(given.stage))
      ? []
      : [`${at}stage is none of connect, mail, rcpt and data`]),
    ...(isText(given.reason) ? [] : [`${at}reason says nothing`]),
  ]
  return [...needed, ...wrong(given, at, REFUSAL)]
}

function refusedIn(given: unknown, { envelope }: OutgoingMail): readonly string[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) return ['refused is no list']
  const names = given.map((each) => (isObject(each) ? each.recipient : undefined))
  return [
    ...given.flatMap((each, i) =>
      isObject(each) ? refusalIn(each, `refused[${i}].`) : [`refused[${i}] is no object`],
    ),
    ...names.flatMap((name, i) =>
      envelope.to.includes(String(name)) ? [] : [`refused[${i}].recipient is not one of the envelope`],
    ),
    ...(new Set(names).size === names.length ? [] : ['refused names a recipient twice']),
  ]
}

function talkIn(given: unknown): readonly string[] {
  if (given === undefined) return []
  if (!isObject(given) || !Array.isArray(given.answers)) return ['conversation has no list of answers']
  return given.answers.flatMap((each, i) => {
    const isRight = isObject(each) && typeof each.command === 'string' && typeof each.text === 'string'
    return isRight
      ? wrong(each, `conversation.answers[${i}].`, { code: isCode })
      : [`conversation.answers[${i}] is odd`]
  })
}

/** The optional fields that are there and wrong. */
function wrong(given: Readonly<Record<string, unknown>>, at: string, tests: Readonly<Record<string, Test>>) {
  return Object.entries(tests).flatMap(([name, isRight]) =>
    given[name] === undefined || isRight(given[name]) ? [] : [`${at}${name} is ${String(given[name]).slice(0, 100)}`],
  )
}
