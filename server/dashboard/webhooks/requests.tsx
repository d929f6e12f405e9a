import { Select, Title } from '@mantine/core'
import type { components, operations } from '../api/client.ts'
import { useAddress } from '../parts/address.ts'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'

type Delivery = components['schemas']['Delivery']
type Query = NonNullable<operations['listDeliveries']['parameters']['query']>

export const REQUEST_STATES: Readonly<Record<string, string>> = {
  PENDING: 'PENDING',
  SUCCEEDED: 'COMPLETED',
  FAILED: 'FAILED',
}

/** The requests that were made, to one endpoint or to all and by workflows. */
export function Requests({ endpoint }: { readonly endpoint?: string }) {
  const t = useTexts()
  const { values, change } = useAddress()
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t.webhooks.requests}
      </Title>
      <List<Delivery>
        noun="webhooks"
        of={['deliveries', endpoint]}
        label={t.webhooks.requests}
        filters={['status']}
        says={(_, value) => t.webhooks.states[value]}
        controls={
          <Select
            aria-label={t.anywhere.status}
            placeholder={t.mails.anyStatus}
            data={Object.entries(t.webhooks.states).map(([value, label]) => ({ value, label }))}
            value={values.status ?? null}
            onChange={(status) => change({ status: status ?? undefined, cursor: undefined, page: undefined })}
            clearable
          />
        }
        ask={(api, { page: _, ...query }, signal) =>
          api.GET('/webhooks/deliveries', {
            params: { query: { ...(query as Query), ...(endpoint === undefined ? {} : { endpointId: endpoint }) } },
            signal,
          })
        }
        every={() => 5000}
        href={({ id }) => `/requests/${id}`}
        columns={[
          { key: 'event', title: t.webhooks.event, cell: ({ eventName, url }) => eventName ?? url },
          {
            key: 'status',
            title: t.anywhere.status,
            cell: ({ status }) => <Pill status={REQUEST_STATES[status] ?? status} text={t.webhooks.states[status]} />,
          },
          {
            key: 'answer',
            title: t.webhooks.answer,
            cell: ({ responseStatus, error }) => responseStatus ?? (error ? t.reasons(error) : ''),
          },
          { key: 'attempts', title: t.webhooks.attempts, align: 'right', cell: ({ attempts }) => attempts },
          { key: 'when', title: t.webhooks.when, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
        empty={<Empty title={t.webhooks.noRequests} hint={t.webhooks.noRequestsHint} />}
      />
    </section>
  )
}
