import type { JsonSchema } from '@valibot/to-json-schema'
import { EXAMPLE_IDS } from './example-ids.ts'

const COMPONENTS = '#/components/schemas/'

/** Stands for what a schema within itself would repeat without end. */
const NOTHING = Symbol('nothing')

/**
 * Answers as examples, made from their schemas, so that no field is missing and none is there too many: what a field
 * holds follows from its name, its format and its type.
 */
export class ExampleAnswers {
  readonly #components: Readonly<Record<string, JsonSchema>>

  constructor(components: Readonly<Record<string, JsonSchema>>) {
    this.#components = components
  }

  /** An answer of this schema; `owner` names what it is about, such as the operation. */
  of(schema: JsonSchema, owner: string): unknown {
    return this.#value(schema, '', [owner])
  }

  /** `owners` are the named schemas around it, the innermost last. */
  #value(schema: JsonSchema, name: string, owners: readonly string[]): unknown {
    if (schema.$ref !== undefined) {
      const owner = schema.$ref.slice(COMPONENTS.length)
      const named = this.#components[owner]
      return named === undefined || owners.includes(owner) ? NOTHING : this.#value(named, name, [...owners, owner])
    }
    if (schema.const !== undefined) return schema.const
    const options = schema.oneOf ?? schema.anyOf
    if (options) {
      const values = options.map((option) => this.#value(option as JsonSchema, name, owners))
      return values.find((value) => value !== NOTHING) ?? NOTHING
    }
    const types = [schema.type ?? []].flat()
    if (types.includes('null') && ABSENT.has(name)) return null
    if (schema.enum) return schema.enum[0]
    switch (types[0]) {
      case 'object':
        return this.#object(schema, owners)
      case 'array':
        return this.#list(schema, name, owners)
      case 'string':
        return textOf(schema, name, owners)
      case 'integer':
      case 'number':
        return Math.min(Math.max(NUMBERS[name] ?? 3, schema.minimum ?? 0), schema.maximum ?? Number.MAX_VALUE)
      case 'boolean':
        return !FALSE.has(name)
      default:
        return TEXTS[name] ?? 'pro'
    }
  }

  #object({ properties, additionalProperties, required = [] }: JsonSchema, owners: readonly string[]): unknown {
    if (properties === undefined) {
      if (typeof additionalProperties !== 'object') return { plan: 'pro' }
      const value = this.#value(additionalProperties, 'plan', owners)
      return value === NOTHING ? {} : { plan: value }
    }
    const told = Object.entries(properties).filter(([name]) => required.includes(name) || !ABSENT.has(name))
    const fields = told.map(([name, property]) => [name, this.#value(property as JsonSchema, name, owners)] as const)
    return Object.fromEntries(fields.filter(([, value]) => value !== NOTHING))
  }

  #list({ items }: JsonSchema, name: string, owners: readonly string[]): readonly unknown[] {
    const item = typeof items === 'object' ? this.#value(items as JsonSchema, singular(name), owners) : NOTHING
    return item === NOTHING ? [] : [item]
  }
}

function textOf({ format }: JsonSchema, name: string, owners: readonly string[]): string {
  if (format === 'uuid') return idOf(name, owners)
  return FORMATS[format ?? ''] ?? TEXTS[name] ?? singular(name)
}

/** The example id of what the field names, or of what it is a field of. */
function idOf(name: string, owners: readonly string[]): string {
  const things = Object.entries(EXAMPLE_IDS)
  const subjects = name === 'id' ? owners.toReversed() : [name.replace(/Id$/, '')]
  for (const subject of subjects) {
    const words = subject.toLowerCase()
    const found =
      things.find(([thing]) => words.endsWith(thing.toLowerCase())) ??
      things.find(([thing]) => words.includes(thing.toLowerCase()))
    if (found) return found[1]
  }
  return EXAMPLE_IDS.contact
}

function singular(name: string): string {
  return name.replace(/s$/, '')
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-06-01',
  'date-time': '2026-06-01T12:00:00.000Z',
  'idn-email': 'ada@example.org',
  uri: 'https://example.com/welcome',
}

/** Fields that most answers do not have, or have as null: the list ends here, nothing went wrong. */
const ABSENT: ReadonlySet<string> = new Set([
  ...['cursor', 'error', 'errorMeaning', 'failedReason', 'exitReason', 'skipReason', 'statusReason', 'pauseReason'],
  ...['pausedReason', 'failingSince', 'problem', 'braked', 'warnings', 'note', 'unit', 'count', 'suggestedEmail'],
])

const FALSE: ReadonlySet<string> = new Set(['hasMore', 'disabled', 'truncated', 'isNew', 'isDisposable', 'isTypo'])

const NUMBERS: Readonly<Record<string, number>> = {
  page: 1,
  pageSize: 20,
  totalPages: 1,
  progress: 100,
  statusCode: 422,
  responseStatus: 200,
  attempts: 1,
  failureCount: 0,
  failed: 0,
  failedCount: 0,
  bounced: 0,
  bouncedCount: 0,
  complained: 0,
  complainedCount: 0,
  x: 200,
  y: 120,
  size: 2048,
  width: 600,
  height: 200,
}

const TEXTS: Readonly<Record<string, string>> = {
  // people and mails
  email: 'ada@example.org',
  contactEmail: 'ada@example.org',
  to: 'ada@example.org',
  toName: 'Ada',
  from: 'hello@example.com',
  fromName: 'Acme',
  replyTo: 'help@example.com',
  address: 'ada@example.org',
  subject: 'Welcome',
  body: '<p>Hello {{ firstName }}</p>',
  html: '<p>Hello Ada</p>',
  text: 'Hello Ada',
  messageId: '<01990000-0000-7000-8000-00000000000b@example.com>',
  providerId: '0190f2c4',
  recipient: 'ada@example.org',
  transport: 'smtp',
  response: '250 2.0.0 OK',
  command: 'DATA',
  tls: 'TLSv1.3',
  reply: '550 5.7.1 Rejected',
  filename: 'invoice.pdf',
  contentType: 'application/pdf',
  spf: 'pass',
  dkim: 'pass',
  dmarc: 'pass',
  // nouns
  name: 'Welcome',
  description: 'For everyone who signs up',
  slug: 'welcome',
  locale: 'en',
  color: '#0b7285',
  colour: '#d92d20',
  domain: 'example.com',
  linkHost: 'links.example.com',
  host: 'mx.example.com',
  postalAddress: '1 Main Street',
  eventName: 'signed-up',
  event: 'signed-up',
  type: 'email.sent',
  action: 'createTemplate',
  field: 'data.plan',
  key: 'plan',
  header: 'Plan',
  value: 'pro',
  url: 'https://example.com/welcome',
  // words for people
  message: 'What is to know.',
  advice: 'What to do about it.',
  meaning: 'What it means.',
  seen: 'What was found.',
  reason: 'Why.',
  detail: 'More about it.',
  documentation: 'https://example.com/docs',
  version: '1.0.0',
  secret: 'keep-this-secret',
  prefix: 'sk_1a2b',
  recoveryCode: '4f7k-29dm',
  requestId: '0190f2c4',
  openapi: '3.1.0',
}
