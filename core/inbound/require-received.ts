import { EngineError, invalidField } from '../errors.ts'
import type { ReceivedMessage } from '../ports/inbound-mail.ts'
import { isObject } from '../values/json.ts'

const isText = (given: unknown) => typeof given === 'string'

/** The fields of a received message and their shapes. */
const FIELDS: readonly (readonly [field: string, read: (message: ReceivedMessage) => boolean, must: string])[] = [
  ['envelope.from', ({ envelope }) => isText(envelope?.from), 'must be a text, empty for the null sender'],
  [
    'envelope.to',
    ({ envelope }) => Array.isArray(envelope?.to) && envelope.to.every(isText),
    'must be a list of addresses',
  ],
  ['raw', ({ raw }) => raw instanceof Uint8Array, 'must be the bytes of the message, as a Uint8Array'],
  [
    'receivedAt',
    ({ receivedAt }) => receivedAt instanceof Date && !Number.isNaN(receivedAt.getTime()),
    'must be a Date with a valid time',
  ],
  ['remoteAddress', ({ remoteAddress }) => isText(remoteAddress), 'must be a text, empty when it is unknown'],
  ['helo', ({ helo }) => isText(helo), 'must be a text, empty when it is unknown'],
  ['tls', ({ tls }) => typeof tls === 'boolean', 'must be true or false'],
  [
    'fetched.key',
    ({ fetched }) => fetched === undefined || (isText(fetched?.key) && fetched.key !== ''),
    'must be a text that names the message, or fetched must be left out',
  ],
]

/** Throws EngineError `VALIDATION_ERROR` with the first field that is wrong: plugins are not trusted. */
export function requireReceived(message: unknown): asserts message is ReceivedMessage {
  if (!isObject(message)) throw new EngineError('VALIDATION_ERROR', 'deliver needs a received message: an object')
  for (const [field, isRight, must] of FIELDS) {
    if (!isRight(message as never)) throw invalidField(field, 'invalid_type', must)
  }
}
