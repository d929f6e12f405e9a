import type { components, MailwrightClient } from '../client/index.ts'
import { givenPassword } from '../process/passwords.ts'
import { asMember } from './as-member.ts'
import { print, printAll } from './printing.ts'
import { readInput } from './read-input.ts'
import { answered, patiently, withServer } from './with-server.ts'

/* Work with inboxes by the key of the project. What others wrote is printed without signs that a terminal obeys. */

interface Asked {
  readonly url?: string
  readonly json?: true
}

type Draft = components['schemas']['InboxDraft']

/** How many are listed. */
const LISTED = 100
/** How long the server holds a request for events, in seconds. */
const WAIT = 20
/** As much may one answer have, in megabytes. */
const MEGABYTES = 1

export function listInboxes({ url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const { data } = await answered(client.GET('/inboxes', { params: { query: { limit: LISTED } } }))
    return printAll(
      data,
      json,
      ({ id, name, address, unread }) => `${id}  ${address}  ${name}  ${unread} unread`,
      'inbox',
    )
  })
}

/** Prints the events of an inbox as they come, until the process is interrupted. */
export function followInbox(id: string, { url, json, after }: Asked & { readonly after?: number }): Promise<number> {
  return withServer(url, async (client) => {
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort())
    let last = after
    while (!stop.signal.aborted) {
      const query = last === undefined ? { limit: 1 } : { after: last, wait: WAIT, limit: LISTED }
      const found = await patiently(
        () => client.GET('/inboxes/{id}/events', { params: { path: { id }, query }, signal: stop.signal }),
        stop.signal,
      )
      if (found === undefined || typeof found === 'string') break
      // without a number it begins with what comes next
      for (const event of last === undefined ? [] : found.data) {
        const { number, type, timestamp, data } = event
        print(json ? JSON.stringify(event) : `${number}  ${timestamp}  ${type}  ${JSON.stringify(data)}`)
      }
      last = found.last
    }
    return 130
  })
}

export function listThreads(
  inboxId: string,
  { url, json, folder, search }: Asked & { readonly folder?: string; readonly search?: string },
): Promise<number> {
  return withServer(url, async (client) => {
    const found =
      search === undefined
        ? await answered(
            client.GET('/inboxes/{id}/threads', {
              params: {
                path: { id: inboxId },
                query: { limit: LISTED, ...(folder ? { folder: folder as 'inbox' } : {}) },
              },
            }),
          )
        : await answered(client.GET('/threads', { params: { query: { q: search, inboxId, limit: LISTED } } }))
    return printAll(
      found.data,
      json,
      ({ id, unread, subject, participants, snippet }) =>
        `${id}  ${unread ? '*' : ' '}  ${subject}  ${participants.map(({ email }) => email).join(', ')}\n  ${snippet}`,
      'conversation',
    )
  })
}

export function showThread(id: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const data = (await messagesOf(client, id)).toReversed()
    return printAll(
      data,
      json,
      ({ at, from, to, subject, replyText, text, attachments }) =>
        [
          `${at}  ${from} to ${to.map(({ email }) => email).join(', ')}`,
          subject ?? '',
          ...attachments.map(({ filename }) => `[${filename}]`),
          '',
          `${replyText ?? text ?? ''}\n`,
        ].join('\n'),
      'message',
    )
  })
}

/** Answers the last message of a thread that came in. A key whose mail needs approval leaves it waiting. */
export function answerThread(
  id: string,
  { url, json, body, all, draft }: Asked & { readonly body?: string; readonly all?: true; readonly draft?: true },
): Promise<number> {
  return withServer(url, async (client) => {
    const advice = 'write less'
    const html = body ?? (await (await readInput('-', MEGABYTES, advice)).text())
    const thread = await answered(client.GET('/threads/{id}', { params: { path: { id } } }))
    const messages = await messagesOf(client, id)
    const messageId = (messages.find(({ incoming }) => incoming) ?? messages[0])?.id ?? ''
    const made = await answered(
      client.POST('/inboxes/{id}/drafts', {
        params: { path: { id: thread.inboxId } },
        body: { kind: all ? 'reply-all' : 'reply', messageId, body: html },
      }),
    )
    if (draft) return shown(made, json)
    return shown(await sent(client, made.id), json)
  })
}

export function listDrafts(inboxId: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const params = { path: { id: inboxId }, query: { limit: LISTED } }
    return printAll((await answered(client.GET('/inboxes/{id}/drafts', { params }))).data, json, lineOf, 'draft')
  })
}

export function sendDraft(id: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => shown(await sent(client, id), json))
}

export function listApprovals({ url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const { data } = await answered(client.GET('/approvals', { params: { query: { limit: LISTED } } }))
    const line = (draft: Draft) => `${lineOf(draft)}\n  ${draft.authorName}: ${draft.reason ?? '-'}`
    return printAll(data, json, line, 'mail that waits')
  })
}

/** Approves or refuses a draft as a member, who logs in and out for it. */
export async function decideDraft(
  id: string,
  decision: 'approve' | 'refuse',
  {
    url,
    json,
    as: email,
    code,
    words = '',
  }: Asked & { readonly as: string; readonly code?: string; readonly words?: string },
): Promise<number> {
  const password = await givenPassword()
  return withServer(url, async (byKey, _variables, server) => {
    const { projectId } = await answered(byKey.GET('/keys/@me'))
    return asMember(server, { email, password, code, projectId }, async (client) => {
      const params = { path: { id } }
      if (decision === 'refuse') {
        return shown(await answered(client.POST('/drafts/{id}/refuse', { params, body: { refusal: words } })), json)
      }
      const { version } = await answered(client.GET('/drafts/{id}', { params }))
      return shown(await answered(client.POST('/drafts/{id}/approve', { params, body: { version } })), json)
    })
  })
}

function sent(client: MailwrightClient, id: string): Promise<Draft> {
  return answered(client.POST('/drafts/{id}/send', { params: { path: { id } }, body: {} }))
}

/** The last messages of a thread, the newest first. */
async function messagesOf(client: MailwrightClient, id: string) {
  const params = { path: { id }, query: { limit: LISTED } }
  return (await answered(client.GET('/threads/{id}/messages', { params }))).data
}

function lineOf({ id, status, subject, to }: Draft): string {
  return `${id}  ${status}  ${subject}  ${to.map(({ email }) => email).join(', ')}`
}

function shown(draft: Draft, json: true | undefined): number {
  print(json ? JSON.stringify(draft) : lineOf(draft))
  return 0
}
