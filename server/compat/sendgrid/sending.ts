import { invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { nameBy } from '../kit/renamed.ts'
import { sendAll, templateIn } from '../kit/send-all.ts'
import { typedApi } from '../kit/typed-api.ts'
import { groupsOf, numberOf } from './groups.ts'
import { type ReadMail, readMail } from './mail.ts'

const MEGABYTE = 1024 * 1024

/** SendGrid's names of our fields, of those that stand in a personalization and of those that stand beside. */
const PERSONAL: ReadonlySet<string> = new Set(['to', 'cc', 'bcc'])
const NAMES: Readonly<Record<string, string>> = {
  body: 'content',
  text: 'content',
  reply: 'reply_to',
  replyTo: 'reply_to',
  tags: 'custom_args',
  template: 'template_id',
  data: 'dynamic_template_data',
  scheduledFor: 'send_at',
  tracking: 'tracking_settings',
  together: 'to',
}

/** Sending. */
export const sending: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/v3/mail/send',
    methods: ['send', 'sendMultiple'],
    difference:
      'each personalization is a mail of its own, at most 500 in a request and 20 MB in all, to at most 100 recipients and 20 in each of `cc`, `bcc` and `reply_to_list`; all are accepted or none; `template_id` is the slug or the id of a [template](templates.md) here, so a template with the slug `d-…` needs no change in the code, and its placeholders are filled in from `dynamic_template_data` or `substitutions`; `custom_args` and `categories` become tags; opens and clicks are counted together, and not at all when one of them is switched off; `asm` needs a marketing template, whose topic is the group, and a key that may read; a `group_id` that is none of this server stands for that topic; `ip_pool_name` has no effect; `batch_id`, footers, `bypass_…`, `subscription_tracking` and `ganalytics` are refused',
    body: 'json',
    bodyLimit: 30 * MEGABYTE,
    keepsKey: true,
    async answer({ body, now }, ours) {
      const { mails, isSandbox, ofGroup } = await readMail(body, now)
      if (ofGroup !== undefined) await requireGroup(ours, ofGroup)
      const [id = ''] = await sendAll(ours, mails, { nameOf, dryRun: isSandbox }).catch(templateIn('template_id'))
      return isSandbox ? { status: 200 } : { status: 202, headers: { 'x-message-id': id } }
    },
  },
]

function nameOf(place: number, field: string): string {
  const [first = ''] = field.split('.')
  const name = nameBy(NAMES, field).replace(/^reply_to\.(?=\d)/, 'reply_to_list.')
  return PERSONAL.has(first) ? `personalizations.${place}.${name}` : name
}

/**
 * A group is one that its readers can leave: a mail that names one must have the links for it, and lead to that group. The
 * number of a group that is none of ours stands for the topic of the template.
 */
async function requireGroup(ours: OurApi, { template, group }: NonNullable<ReadMail['ofGroup']>): Promise<void> {
  const { type, topicId } = await typedApi(ours).call('getTemplate', { path: { id: template } })
  if (type !== 'MARKETING') throw invalidField('asm', 'custom', 'needs a template_id of a marketing template')
  const named = (await groupsOf(ours)).find(({ id }) => numberOf(id) === group)
  if (named === undefined || named.id === topicId) return
  throw invalidField('asm.group_id', 'custom', `is the topic “${named.name}”, which the template has not`)
}
