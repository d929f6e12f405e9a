import { EngineError } from '../../core/errors.ts'
import type { ForeignApi, ForeignProblem } from '../../core/ports/foreign-api.ts'
import { foreignApiContract } from '../contracts/foreign-api.ts'
import { right, wrong } from './wrong.ts'

interface How {
  readonly key?: ForeignApi['keyOf']
  readonly status?: (problem: ForeignProblem) => number
  readonly silent?: true
  readonly fills?: true
  readonly trusts?: true
  readonly twice?: true
}

/** An API with one endpoint; it can go wrong in several ways. */
function apiOf(how: How): ForeignApi {
  const read = (body: unknown): { readonly to: string; readonly words: string } => {
    const given = body as { readonly to: string; readonly words: string }
    if (how.trusts) return { to: given.to.trim(), words: given.words }
    if (typeof given === 'object' && typeof given?.to === 'string' && typeof given.words === 'string') return given
    const fields = [{ field: 'to', code: 'required', message: 'is required' }] as const
    throw new EngineError('VALIDATION_ERROR', 'This is no mail.', { fields })
  }
  return {
    service: 'Acme',
    keyOf: how.key ?? ((headers) => headers['x-acme-key']),
    refusal: (problem) => ({
      status: how.status?.(problem) ?? problem.status,
      body: how.silent ? {} : { oops: problem.message, fields: problem.fields },
    }),
    endpoints: [
      {
        method: 'POST',
        path: '/mails',
        methods: ['mails.send'],
        body: 'json',
        async answer({ body }, ours) {
          const { to, words: text } = read(body)
          await ours.call('sendMail', { body: { to, text, subject: 'x', placeholders: how.fills ?? false } })
          return { status: 200 }
        },
      },
    ],
    absent: how.twice ? [{ method: 'POST', path: '/faxes', methods: ['mails.send'], reason: 'no faxes here' }] : [],
  }
}

const contract = (how: How) =>
  foreignApiContract(async () => ({
    api: apiOf(how),
    keyHeaders: (key) => ({ 'x-acme-key': key }),
    sends: ({ to, text: words }) => ({ method: 'POST', path: '/mails', body: { to, words } }),
  }))

right(() => contract({}))
wrong('takes any header field for the key', 'finds the key where clients send it', () =>
  contract({ key: (headers) => Object.values(headers)[0] }),
)
wrong('names a method as here and as absent', 'as here and as absent', () => contract({ twice: true }))
wrong('answers every error with 200', 'writes every error as one', () => contract({ status: () => 200 }))
wrong('takes a server that is away for a wrong request', 'writes every error as one', () =>
  contract({ status: () => 422 }),
)
wrong('keeps the reason for itself', 'with its sentence or its fields', () => contract({ silent: true }))
wrong('fills in what looks like a placeholder', 'sends a text as it stands', () => contract({ fills: true }))
wrong('trusts the body', 'and never breaks', () => contract({ trusts: true }))
