import { Select } from '@mantine/core'
import type { components, operations } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'

type Skipped = components['schemas']['CampaignStats']['skipped']
type Entry = components['schemas']['LeftOut']
type Query = NonNullable<operations['listLeftOut']['parameters']['query']>

const REASONS = [
  'unsubscribed',
  'suppressed',
  'paused',
  'topic',
  'capped',
  'heldOut',
  'contactRemoved',
  'cancelled',
  'caught',
] as const satisfies readonly (keyof Skipped)[]

/** How many contacts the campaign left out, for whichever reason. */
export function leftOutOf(skipped: Skipped): number {
  return REASONS.reduce((sum, reason) => sum + skipped[reason], 0)
}

/** The contacts whom the campaign left out, or those of one reason. */
export function LeftOut({ campaign, skipped }: { readonly campaign: Campaign; readonly skipped: Skipped | undefined }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const { values, change } = useAddress()
  const words = t.campaigns.leftOutBy
  const there = REASONS.filter((reason) => reason === values.reason || (skipped && skipped[reason] > 0))
  return (
    <List<Entry>
      noun="campaigns"
      of={[campaign.id, 'left-out', campaign.status]}
      every={() => (campaign.status === 'SENDING' ? 3000 : false)}
      label={t.campaigns.leftOut}
      filters={['reason']}
      says={(_name, value) => words[value as Entry['reason']] ?? value}
      controls={
        <Select
          size="xs"
          aria-label={t.campaigns.leftOutWhy}
          placeholder={t.campaigns.leftOutWhy}
          clearable
          value={values.reason ?? null}
          onChange={(reason) => change({ reason: reason ?? undefined, cursor: undefined, page: undefined })}
          data={there.map((reason) => ({
            value: reason,
            label: skipped ? `${words[reason]}: ${formats.number(skipped[reason])}` : words[reason],
          }))}
        />
      }
      ask={(api, { page: _, ...query }, signal) =>
        api.GET('/campaigns/{id}/left-out', {
          params: { path: { id: campaign.id }, query: query as Query },
          signal,
        })
      }
      href={({ contactId }) => toProject(project, contactId === null ? '/contacts' : `/contacts/${contactId}`)}
      rowName={({ email }) => email}
      columns={[
        { key: 'email', title: t.campaigns.address, cell: ({ email }) => email },
        { key: 'reason', title: t.campaigns.leftOutWhy, cell: ({ reason }) => words[reason] },
        { key: 'at', title: t.campaigns.leftOutAt, cell: ({ at }) => <Moment at={at} /> },
      ]}
      empty={<Empty title={t.campaigns.leftOutNone} hint={t.campaigns.leftOutNoneHint} />}
    />
  )
}
