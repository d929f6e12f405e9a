import { Group, SegmentedControl } from '@mantine/core'
import type { components, operations } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { shownStatus } from '../parts/delivered.ts'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Campaign } from './queries.ts'
import { SendAgain } from './send-again.tsx'
import { partName } from './variant-results.tsx'

type Mail = components['schemas']['Recipient']
type Query = NonNullable<operations['listRecipients']['parameters']['query']>
/** The lists that figures lead to, besides the choices. */
const MOMENTS = ['sent', 'delivered', 'complained', 'unsubscribed', 'replied'] as const
const CHOICES = ['all', 'opened', 'clicked', 'bounced', 'unopened'] as const

/** The mails of a campaign, or those behind one of its figures. */
export function Recipients({ campaign }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const project = useProjectId()
  const { values, change } = useAddress()
  const { opened, clicked, bounced, status, link, metric } = values
  const moment = MOMENTS.find((name) => values[name] === 'true')
  const chosen =
    opened === 'true'
      ? 'opened'
      : opened === 'false'
        ? 'unopened'
        : clicked === 'true'
          ? 'clicked'
          : bounced === 'true'
            ? 'bounced'
            : 'all'
  const choose = (choice: string) =>
    change({
      opened: choice === 'opened' ? 'true' : choice === 'unopened' ? 'false' : undefined,
      clicked: choice === 'clicked' ? 'true' : undefined,
      bounced: choice === 'bounced' ? 'true' : undefined,
      ...Object.fromEntries(MOMENTS.map((name) => [name, undefined])),
      status: undefined,
      link: undefined,
      metric: undefined,
      cursor: undefined,
      page: undefined,
    })
  return (
    <List<Mail>
      noun="campaigns"
      of={[campaign.id, 'recipients', campaign.status]}
      every={() => (campaign.status === 'SENDING' ? 3000 : false)}
      label={t.campaigns.people_behind}
      filters={['opened', 'clicked', 'bounced', ...MOMENTS, 'status', 'link', 'variant', 'metric']}
      says={(name, value) => {
        if (name === 'variant') return partName(value, t)
        if (name === 'metric') return t.variants.compared
        const figures: Readonly<Record<string, string>> = t.campaigns.figures
        return name === 'opened' && value === 'false' ? t.campaigns.notOpened : figures[name]
      }}
      controls={
        <Group gap="xs" maw="100%">
          <SegmentedControl
            size="xs"
            value={[status, link, moment, metric].every((each) => each === undefined) ? chosen : ''}
            onChange={choose}
            data={CHOICES.map((value) => ({
              value,
              label:
                value === 'all'
                  ? t.campaigns.everyone
                  : value === 'unopened'
                    ? t.campaigns.notOpened
                    : t.campaigns.figures[value],
            }))}
          />
          {chosen === 'opened' || chosen === 'clicked' ? <SendAgain campaign={campaign} did={chosen} /> : null}
        </Group>
      }
      ask={(api, { page: _, ...query }, signal) =>
        api.GET('/campaigns/{id}/recipients', {
          params: { path: { id: campaign.id }, query: query as Query },
          signal,
        })
      }
      href={({ id }) => toProject(project, `/mails/${id}`)}
      rowName={({ email }) => email}
      columns={[
        { key: 'email', title: t.campaigns.address, cell: ({ email }) => email },
        { key: 'status', title: t.anywhere.status, cell: (mail) => <Pill status={shownStatus(mail)} /> },
        { key: 'sentAt', title: t.campaigns.figures.sent, cell: ({ sentAt }) => <Moment at={sentAt} /> },
        { key: 'openedAt', title: t.campaigns.opened, cell: ({ openedAt }) => <Moment at={openedAt} /> },
        {
          key: 'variant',
          title: t.variants.part,
          sparse: true,
          cell: ({ variant }) => (variant === undefined ? '' : partName(variant, t)),
        },
        {
          key: 'error',
          title: t.anywhere.details,
          sparse: true,
          cell: ({ error, skipReason }) =>
            (error && t.reasons(error)) ?? (skipReason && (t.mails.skip[skipReason] ?? skipReason)) ?? '',
        },
      ]}
      empty={<Empty title={t.campaigns.noRecipients} hint={t.campaigns.noRecipientsHint} />}
    />
  )
}
