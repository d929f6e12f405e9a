import type { Contact } from '../../ports/store/contacts.ts'
import type { FormSubmission } from '../../ports/store/forms.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { Confirmation, Confirmations } from '../confirmations.ts'
import { tickedTopics } from './choose-topics.ts'

/**
 * Deals with what else was sent by forms for a contact that has just confirmed, and that no mail asked about since one
 * had been sent that day: what adds nothing is confirmed with the rest, and other topics are asked for by a mail that
 * names them, if the project `hasRoom` for one. Answers that mail, which is stored.
 */
export async function askForWaiting(
  tx: Repositories,
  confirmations: Confirmations,
  { projectId, id }: Contact,
  now: Date,
  hasRoom: boolean,
): Promise<Confirmation | undefined> {
  const waiting = await tx.forms.ofContact(projectId, id, 'waiting')
  if (waiting.length === 0) return undefined
  const [contact, project] = [await tx.contacts.lock(projectId, id), await tx.projects.find(projectId)]
  if (!contact?.subscribed || !project) return undefined
  const news: FormSubmission[] = []
  const known: FormSubmission[] = []
  for (const each of waiting) {
    if ((await tickedTopics(tx, contact, [each])).length > 0) news.push(each)
    else if (isKnown(each, contact)) known.push(each)
  }
  await tx.forms.confirm(projectId, known, now)
  const topics = (await tickedTopics(tx, contact, news)).map(({ name }) => name)
  const asks = hasRoom && topics.length > 0
  const mail = asks ? await confirmations.ask(tx, project, contact, now, { topics }) : undefined
  if (mail) {
    const ids = news.map((each) => each.id)
    await tx.forms.noteAsked(projectId, ids, mail.email.id)
  }
  return mail
}

/** Whether the contact's data has all answers already; none of them is an object. */
function isKnown({ answers }: FormSubmission, { data }: Contact): boolean {
  return Object.entries(answers).every(([key, answer]) => Object.hasOwn(data, key) && data[key] === answer)
}

/** A submission without its empty boxes. */
export function onlyTicked({ topics, ...submission }: FormSubmission): FormSubmission {
  if (topics === undefined) return submission
  return { ...submission, topics: Object.fromEntries(Object.entries(topics).filter(([, ticked]) => ticked)) }
}
