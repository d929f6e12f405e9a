import { Skeleton } from '@mantine/core'
import { useAsk } from '../api/ask.ts'

/** The address of a contact of whom only the id is known. */
export function ContactName({ id }: { readonly id: string }) {
  const contact = useAsk(['contacts', id], (api, signal) =>
    api.GET('/contacts/{id}', { params: { path: { id } }, signal }),
  )
  return <Known id={id} of={contact} name={contact.data?.email} />
}

export function TemplateName({ id }: { readonly id: string }) {
  const template = useAsk(['templates', id], (api, signal) =>
    api.GET('/templates/{id}', { params: { path: { id } }, signal }),
  )
  return <Known id={id} of={template} name={template.data?.name} />
}

export function CampaignName({ id }: { readonly id: string }) {
  const campaign = useAsk(['campaigns', id], (api, signal) =>
    api.GET('/campaigns/{id}', { params: { path: { id } }, signal }),
  )
  return <Known id={id} of={campaign} name={campaign.data?.name} />
}

/** The name, a line while it is on its way, or the id of what was deleted since. */
function Known({
  id,
  of: { isPending },
  name,
}: {
  readonly id: string
  readonly of: { readonly isPending: boolean }
  readonly name: string | undefined
}) {
  if (isPending) return <Skeleton component="span" display="inline-block" height={14} width="16ch" />
  return <>{name ?? id}</>
}
