import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { WebhookSender } from '../../../core/ports/webhook-sender.ts'
import { fileType } from '../kit/file-type.ts'

/* The files of a mail: by their content, or by the address that they are fetched from. */

/** The most that is fetched for one mail, and how long that may take. */
const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 15_000
const MOST = 10

/** A file as Resend's clients name it. */
export const Attachment = v.object({
  content: v.nullish(v.string()),
  path: v.nullish(v.string()),
  filename: v.nullish(v.union([v.string(), v.literal(false)])),
  content_type: v.nullish(v.string()),
  content_id: v.nullish(v.string()),
})

type Given = v.InferOutput<typeof Attachment>

/** Fetches files; absent where the server has no way out. */
export type Fetcher = WebhookSender | undefined

/**
 * The files as `POST /v1/send` takes them. Those with a `path` are fetched one after the other. Throws EngineError
 * `VALIDATION_ERROR` for one that cannot be had.
 */
export async function attached(given: readonly Given[], fetcher: Fetcher) {
  if (given.length > MOST) throw invalidField('attachments', 'too_big', `must have at most ${MOST} files`)
  const files = []
  const within = { ends: AbortSignal.timeout(TIMEOUT_MS), bytes: MAX_BYTES }
  for (const [i, { content, path, filename, content_type, content_id }] of given.entries()) {
    const fetched =
      path && content == null ? await fetchFile(path, `attachments.${i}.path`, within, fetcher) : undefined
    const bytes = fetched?.content ?? content
    if (bytes == null) throw invalidField(`attachments.${i}`, 'custom', 'must have `content` or `path`')
    const name = filename || (path && lastPart(path)) || 'attachment'
    const id = content_id?.replace(/^<(.*)>$/, '$1')
    files.push({
      filename: name,
      content: bytes,
      contentType: fileType(content_type, name, fetched?.type),
      ...(id ? { contentId: id, disposition: 'inline' as const } : { disposition: 'attachment' as const }),
    })
  }
  return files
}

/** The rest of a mail's limits. */
interface Within {
  readonly ends: AbortSignal
  bytes: number
}

async function fetchFile(url: string, field: string, within: Within, fetcher: Fetcher) {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw invalidField(field, 'invalid_string', 'must be an http or https URL')
  }
  if (fetcher === undefined) throw new EngineError('SERVICE_UNAVAILABLE', 'Files cannot be fetched here.')
  const answer = await fetcher.send(
    {
      url,
      method: 'GET',
      headers: { 'user-agent': 'Mailwright', accept: '*/*' },
      timeout: TIMEOUT_MS,
      redirect: 'fetch',
      document: { maxBytes: within.bytes, asBase64: true },
    },
    within.ends,
  )
  if (answer.outcome !== 'answered') throw invalidField(field, 'custom', `cannot be fetched: ${answer.reason}`)
  const { status, headers, body } = answer
  if (status !== 200) throw invalidField(field, 'custom', `cannot be fetched: the answer has the status ${status}`)
  within.bytes -= Buffer.byteLength(body, 'base64')
  return { content: body, type: /^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0] }
}

/** The name at the end of an address. */
function lastPart(url: string): string | undefined {
  const raw = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  try {
    return (
      decodeURIComponent(raw)
        .replace(/["'\r\n\0]/g, '_')
        .slice(-255) || undefined
    )
  } catch {
    return raw.slice(-255) || undefined
  }
}
