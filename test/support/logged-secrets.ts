import { Writable } from 'node:stream'
import { expect } from 'vitest'

/* Looks in the log for the secrets that tests of the HTTP API send and are answered, whatever they are about. */

/** A line as the engine gave it, and how it is written. */
interface Line {
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly level: 'debug' | 'info' | 'warn' | 'error'
}

const secrets = new Set<string>()
const addresses = new Set<string>()
let lines: Line[] = []

/** Names of values in bodies that only their owner may see. */
const SECRET_NAMES = /(?:password|secret|secretKey|publicKey|token|^key)$/i
const VALUES = /"(\w{1,40})"\s?:\s?"([^"\\\s]{12,})"/g
const TOKEN_IN_PATH = /\/(?:unsubscribe|subscribe|manage|view|t\/[oc]|attachments|auth\/[\w-]+)\/([\w.-]{16,})/g
const ADDRESS = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** A text longer than this is mostly filling. */
const SEARCHED = 20_000

/** Notes what is secret in a request and its answer. */
export function noteSecrets(path: string, headers: Headers, ...bodies: readonly string[]): void {
  for (const [name, value] of headers) {
    if (name === 'authorization') note(value.replace(/^\w+ +/, ''))
    if (name.endsWith('cookie')) for (const [, token = ''] of value.matchAll(/session=([^;\s]+)/g)) note(token)
  }
  for (const [, token = ''] of path.matchAll(TOKEN_IN_PATH)) note(token)
  for (const body of bodies.map((text) => text.slice(0, SEARCHED))) {
    for (const [, name = '', value = ''] of body.matchAll(VALUES)) if (SECRET_NAMES.test(name)) note(value)
    for (const [, token = ''] of body.matchAll(TOKEN_IN_PATH)) note(token)
    for (const [address] of body.matchAll(ADDRESS)) addresses.add(address.toLowerCase())
  }
}

/** Notes a line to look at when the file is over. */
export function noteLine(line: Line): void {
  lines.push(line)
}

/** Fails when a secret noted since the last call was given to the log, or an address is written that may not be. */
export async function checkLogs(): Promise<void> {
  if (lines.length === 0) return
  const given = lines.map(({ message, fields }) => `${message} ${JSON.stringify(fields, readable)}`).join('\n')
  const written = (await textOf(lines)).toLowerCase()
  const found = {
    secrets: [...secrets].filter((secret) => given.includes(secret)).map((secret) => around(given, secret)),
    addresses: [...addresses].filter((address) => written.includes(address)).map((one) => around(written, one)),
  }
  lines = []
  secrets.clear()
  addresses.clear()
  expect(found, 'what the log must not have').toEqual({ secrets: [], addresses: [] })
}

function note(secret: string): void {
  // an id is none, also where a test writes one in place of a token
  if (secret.length >= 12 && !ID.test(secret)) secrets.add(secret)
}

async function textOf(all: readonly Line[]): Promise<string> {
  const { consoleLog } = await import('../../plugins/log-console/index.ts')
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const log = consoleLog({ format: 'json', level: 'debug', addresses: false, stream })
  for (const { level, message, fields } of all) log[level](message, fields)
  return text
}

/** Errors are logged with their message and their stack, which begins with it. */
function readable(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value
}

function around(text: string, found: string): string {
  const at = text.indexOf(found)
  return text.slice(Math.max(0, at - 100), at + found.length + 20)
}
