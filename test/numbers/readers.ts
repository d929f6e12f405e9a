import { Parser } from 'htmlparser2'
import { simpleParser } from 'mailparser'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { between, type Chance } from '../support/chance.ts'
import type { Copy } from '../support/moody-smtp.ts'
import { kindOf } from './people.ts'

export const PUBLIC_URL = 'https://mail.example.net'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'
const MACHINE = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'

/** The visits of one mail: how often, and how often by a person. */
export interface Visits {
  opens: number
  clicks: number
  humanOpens: number
  humanClicks: number
}

/** Those who read the mails as soon as the server has them, whatever it answers: people, proxies and scanners. */
export class Readers {
  /** By the id of the e-mail. */
  readonly visits = new Map<string, Visits>()
  /** The mails by whose link their reader unsubscribed. */
  readonly unsubscribed = new Set<string>()
  readonly #test: () => TestApp
  readonly #chance: Chance
  readonly #mayUnsubscribe: (address: string) => boolean
  readonly #underWay: Promise<void>[] = []

  constructor(test: () => TestApp, chance: Chance, mayUnsubscribe: (address: string) => boolean) {
    this.#test = test
    this.#chance = chance
    this.#mayUnsubscribe = mayUnsubscribe
  }

  /** Reads the mail, or leaves it. */
  receive(copy: Omit<Copy, 'isAnswered'>): void {
    const reading = this.#read(copy)
    // told by `finished`
    reading.catch(() => {})
    this.#underWay.push(reading)
  }

  /** Answers when everybody has done what they do. Throws what went wrong for one of them. */
  async finished(): Promise<void> {
    for (let seen = 0; seen < this.#underWay.length; ) {
      seen = this.#underWay.length
      await Promise.all(this.#underWay)
    }
  }

  async #read({ to, messageId, text }: Omit<Copy, 'isAnswered'>): Promise<void> {
    // the reading of a contact who is removed meanwhile counts nowhere
    if (kindOf(to) === 'gone') return
    const id = /^<([0-9a-f-]{36})@/.exec(messageId)?.[1] ?? ''
    const { html, headers } = await simpleParser(text.replaceAll('\r\n..', '\r\n.'))
    const { pixel, clicks } = linksOf(html || '')
    const [opens, clicked] = this.#chance() < 0.5 ? [between(this.#chance, 0, 3), between(this.#chance, 0, 3)] : [0, 0]
    const acts: Promise<void>[] = []
    for (let i = 0; i < opens; i++) acts.push(this.#visit(id, 'opens', pixel))
    for (let i = 0; i < clicked; i++) acts.push(this.#visit(id, 'clicks', clicks[i % clicks.length] ?? ''))
    if (this.#mayUnsubscribe(to) && this.#chance() < 0.1) {
      const list = headers.get('list') as { readonly unsubscribe?: { readonly url: string } } | undefined
      // as an impatient mail program does it
      for (let i = 0; i < 2; i++) acts.push(this.#unsubscribe(id, list?.unsubscribe?.url ?? ''))
    }
    await Promise.all(acts)
  }

  async #visit(id: string, kind: 'opens' | 'clicks', address: string): Promise<void> {
    const isPerson = this.#chance() < 0.6
    const known = this.visits.get(id) ?? { opens: 0, clicks: 0, humanOpens: 0, humanClicks: 0 }
    this.visits.set(id, known)
    known[kind]++
    if (isPerson) known[kind === 'opens' ? 'humanOpens' : 'humanClicks']++
    const headers = { 'user-agent': isPerson ? PERSON : MACHINE }
    const { status } = await this.#test().ask('GET', pathOf(address), { key: null, headers })
    expect(status).toBe(kind === 'opens' ? 200 : 302)
  }

  async #unsubscribe(id: string, address: string): Promise<void> {
    const { status } = await this.#test().ask('POST', pathOf(address), {
      ...{ key: null, raw: 'List-Unsubscribe=One-Click' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(status).toBe(200)
    this.unsubscribed.add(id)
  }
}

function pathOf(address: string): string {
  expect(address.startsWith(`${PUBLIC_URL}/`)).toBe(true)
  return address.slice(PUBLIC_URL.length)
}

function linksOf(html: string): { readonly pixel: string; readonly clicks: readonly string[] } {
  const clicks: string[] = []
  let pixel = ''
  const parser = new Parser({
    onopentag(name, { href = '', src = '' }) {
      if (name === 'a' && href.startsWith(`${PUBLIC_URL}/t/c/`)) clicks.push(href)
      if (name === 'img' && src.startsWith(`${PUBLIC_URL}/t/o/`)) pixel = src
    },
  })
  parser.end(html)
  return { pixel, clicks }
}
