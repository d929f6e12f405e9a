import type { Chance } from './chance.ts'

/** A person on the list. */
export interface Person {
  readonly email: string
  readonly data: { readonly name: string; readonly plan: string; readonly country: string }
  /** How eager a reader, from 0 to 1. */
  readonly interest: number
  /** The mail program. */
  readonly userAgent: string
  /** The mailbox is gone, or is full now and then. */
  readonly mailbox: 'there' | 'gone' | 'full'
}

// whole domains that are reserved for examples (RFC 2606)
const DOMAINS = ['example.com', 'example.com', 'example.com', 'example.net', 'example.net', 'example.org'] as const
const FIRST = [
  ...(['Ada', 'Alan', 'Amina', 'Ben', 'Carla', 'Chen', 'Dora', 'Emil', 'Fatima', 'Grace', 'Hugo', 'Ines'] as const),
  ...(['Jonas', 'Kim', 'Lena', 'Marco', 'Nadia', 'Olga', 'Paulo', 'Rosa', 'Sven', 'Tariq', 'Uma', 'Yuki'] as const),
] as const
const LAST = [
  ...(['Adler', 'Bauer', 'Costa', 'Dubois', 'Evans', 'Fischer', 'Garcia', 'Hansen', 'Ito', 'Jansen'] as const),
  ...(['Kowalski', 'Lopez', 'Moreau', 'Novak', 'Okafor', 'Patel', 'Rossi', 'Silva', 'Tanaka', 'Weber'] as const),
] as const
const COUNTRIES = ['DE', 'DE', 'US', 'US', 'FR', 'ES', 'BR', 'JP', 'NL'] as const
const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Thunderbird/115.12.0',
] as const

/** The user agent of Apple's privacy protection when it fetches every picture. */
export const PRIVACY_PROXY = 'Mozilla/5.0'

/** The person with this number. */
export function person(chance: Chance, number: number): Person {
  const first = chance.pick(FIRST, 'first', number)
  const last = chance.pick(LAST, 'last', number)
  const luck = chance.of('mailbox', number)
  return {
    email: `${first}.${last}.${number}@${chance.pick(DOMAINS, 'domain', number)}`.toLowerCase(),
    data: {
      name: first,
      plan: chance.of('plan', number) < 0.3 ? 'pro' : 'free',
      country: chance.pick(COUNTRIES, 'country', number),
    },
    interest: chance.of('interest', number),
    userAgent: chance.of('proxy', number) < 0.12 ? PRIVACY_PROXY : chance.pick(AGENTS, 'agent', number),
    mailbox: luck < 0.012 ? 'gone' : luck < 0.03 ? 'full' : 'there',
  }
}
