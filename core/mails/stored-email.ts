import { EngineError } from '../errors.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import { pause } from '../values/pause.ts'
import type { ProjectId } from '../values/project-id.ts'
import { type WaitOptions, waitFor } from '../values/wait.ts'

/** How soon to look again, in milliseconds: at first, and at most. */
const FIRST_PAUSE_MS = 25
const MAX_PAUSE_MS = 1_000

/** The mail with this id. Throws EngineError `EMAIL_NOT_FOUND`. */
export async function storedEmail(store: Pick<Store, 'emails'>, projectId: ProjectId, id: string): Promise<Email> {
  const email = isId(id) ? await store.emails.find(projectId, id) : undefined
  if (!email) throw new EngineError('EMAIL_NOT_FOUND', `There is no e-mail ${id}.`)
  return email
}

/**
 * The mail, to be changed while it waits. Throws EngineError `EMAIL_NOT_FOUND`, `FORBIDDEN` when the caller has a test key
 * and another key sent the mail.
 */
export async function changeableEmail(store: Pick<Store, 'emails'>, project: Project, id: string): Promise<Email> {
  const email = await storedEmail(store, project.id, id)
  if (!project.isForTests || email.toFolder) return email
  throw new EngineError('FORBIDDEN', 'A test key changes only mails that a test key sent.', {
    suggestion: 'Use a secret key of the project.',
  })
}

/**
 * The mail once it has a result: it is neither QUEUED nor SENDING. It looks again at every event of the mail that this
 * process stores, and more and more rarely besides, since other processes may send it. Throws EngineError
 * `EMAIL_NOT_FOUND`, and `SERVICE_UNAVAILABLE` when the time is over.
 */
export async function emailWithResult(
  store: Store,
  projectId: ProjectId,
  id: string,
  options: WaitOptions,
): Promise<Email> {
  let notice = () => {}
  const endListening = store.listen((events) => {
    if (events.some(({ emailId }) => emailId === id)) notice()
  })
  const result = await waitFor(options, async (ends) => {
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, MAX_PAUSE_MS)) {
      const noticed = Promise.withResolvers<void>()
      notice = noticed.resolve
      const email = await storedEmail(store, projectId, id)
      if (ends.aborted || (email.status !== 'QUEUED' && email.status !== 'SENDING')) return email
      const enough = new AbortController()
      await Promise.race([noticed.promise, pause(ms, AbortSignal.any([ends, enough.signal]))])
      enough.abort()
    }
  }).finally(endListening)
  if ('answer' in result) return result.answer
  const { status, dueAt, error } = await storedEmail(store, projectId, id)
  const when = status === 'QUEUED' ? `, due at ${dueAt.toISOString()}` : ''
  throw new EngineError(
    'SERVICE_UNAVAILABLE',
    `After ${result.timeoutMs} ms the e-mail ${id} is still ${status}${when}.`,
    {
      suggestion:
        error === undefined
          ? 'Mail is sent after engine.start(), by this process or by a worker.'
          : `Its last try failed: ${error}`,
      isTold: true,
    },
  )
}
