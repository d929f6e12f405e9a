import type { WebhookAnswer, WebhookSender } from '../ports/webhook-sender.ts'

/** How many addresses are asked for one mail, and how many at once. */
export const MOST_ASKED = 50
const AT_ONCE = 5
/** How long one may take, and all together, in milliseconds. */
const ONE_MS = 5_000
const ALL_MS = 15_000
/** How often an address may lead on. */
export const MOST_REDIRECTS = 5

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The result of asking one address. */
export type AskedAddress =
  | { readonly outcome: 'answered'; readonly status: number; readonly bytes: number | undefined }
  | { readonly outcome: 'forbidden' | 'failed'; readonly reason: string }
  | { readonly outcome: 'redirects' }
  /** There was no time left. */
  | { readonly outcome: 'not asked' }
  /** The sender is not able to. */
  | { readonly outcome: 'impossible' }

/** How long one address and all together may take, in milliseconds. */
export interface Patience {
  readonly one: number
  readonly all: number
}

/**
 * Asks each of these different addresses whether it is there, a few at once, through the guard of our own network. Each
 * hop of a redirect is a separate request, so that the guard judges it anew.
 */
export async function askAddresses(
  sender: WebhookSender,
  addresses: readonly string[],
  { one, all }: Patience = { one: ONE_MS, all: ALL_MS },
): Promise<ReadonlyMap<string, AskedAddress>> {
  const found = new Map<string, AskedAddress>()
  const signal = AbortSignal.timeout(all)
  const waiting = addresses.slice(0, MOST_ASKED).values()
  const worker = async () => {
    for (const address of waiting) {
      found.set(address, signal.aborted ? { outcome: 'not asked' } : await askOne(sender, address, one, signal))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return found
}

async function askOne(
  sender: WebhookSender,
  address: string,
  patience: number,
  signal: AbortSignal,
): Promise<AskedAddress> {
  const end = performance.now() + patience
  const send = (url: string, method: 'HEAD' | 'GET') =>
    sender.send({ url, method, headers: {}, timeout: Math.max(1, end - performance.now()), redirect: 'manual' }, signal)
  try {
    let url = address
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      const answer = await askHop(url, send)
      if (signal.aborted) return { outcome: 'not asked' }
      if (answer.outcome !== 'answered') return answer
      const { status, headers } = answer
      if (!REDIRECTS.has(status) || headers.location === undefined)
        return { outcome: 'answered', status, bytes: bytesIn(headers) }
      const next = URL.parse(headers.location, url)
      if (next === null) return { outcome: 'failed', reason: 'it leads on to no address' }
      url = next.href
    }
    return { outcome: 'redirects' }
  } catch {
    return { outcome: 'impossible' }
  }
}

/** An error of HEAD counts only when GET has it too: some servers know no HEAD, and answer it with all kinds of errors. */
async function askHop(
  url: string,
  send: (url: string, method: 'HEAD' | 'GET') => Promise<WebhookAnswer>,
): Promise<WebhookAnswer> {
  const answer = await send(url, 'HEAD')
  return answer.outcome === 'answered' && answer.status >= 400 && !FINAL.has(answer.status) ? send(url, 'GET') : answer
}

/** Statuses that GET would have, too. */
const FINAL = new Set([401, 407, 429, 999])
/** Statuses that say nothing about the page: it wants a login, or no programs. */
const FOR_PEOPLE = new Set([...FINAL, 403, 405])

/** Whether an answer with this status says nothing about the page. */
export function tellsNothing(status: number): boolean {
  return FOR_PEOPLE.has(status)
}

function bytesIn(headers: Readonly<Record<string, string>>): number | undefined {
  const length = headers['content-length']
  return length !== undefined && /^\d{1,12}$/.test(length) ? Number(length) : undefined
}
