import { Button, Menu } from '@mantine/core'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useFormats } from '../parts/formats.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'

type Segment = components['schemas']['Segment']
interface Chosen {
  readonly contactIds: readonly string[]
  readonly onDone: () => void
}

/** Adds the chosen contacts to a segment, or takes them out of one, all in one request. */
export function SegmentMenus({ contactIds, onDone }: Chosen) {
  const t = useTexts()
  const formats = useFormats()
  const { number } = formats
  const changes = ['segments', 'contacts']
  const path = (id: string) => ({ params: { path: { id } } })
  const add = useAct(
    (api, { id }: Segment) =>
      api.POST('/segments/{id}/members', { ...path(id), body: { contactIds: [...contactIds] } }),
    {
      changes,
      done: ({ added, alreadyMembers, notFound }, { name }) =>
        t.contacts.addedTo(name, number(added), {
          already: alreadyMembers === 0 ? undefined : number(alreadyMembers),
          missing: notFound.length === 0 ? undefined : number(notFound.length),
        }),
      // who enters a tracked segment has an event, which may have started a workflow
      undo: ({ addedIds }, { id, trackMembership }) =>
        trackMembership || addedIds.length === 0
          ? undefined
          : (api) => api.DELETE('/segments/{id}/members', { ...path(id), body: { contactIds: [...addedIds] } }),
      onDone,
    },
  )
  const remove = useAct(
    (api, { id }: Segment) =>
      api.DELETE('/segments/{id}/members', { ...path(id), body: { contactIds: [...contactIds] } }),
    {
      changes,
      done: ({ removed }, { name }) => t.contacts.removedFrom(name, number(removed)),
      undo: ({ removedIds }, { id, trackMembership }) =>
        trackMembership || removedIds.length === 0
          ? undefined
          : (api) => api.POST('/segments/{id}/members', { ...path(id), body: { contactIds: [...removedIds] } }),
      onDone,
    },
  )
  const isBusy = add.isPending || remove.isPending
  return (
    <>
      <SegmentMenu text={t.contacts.addToSegment} isBusy={isBusy} choose={(segment) => add.mutate(segment)} />
      <SegmentMenu text={t.contacts.removeFromSegment} isBusy={isBusy} choose={(segment) => remove.mutate(segment)} />
    </>
  )
}

/** The segments to choose from. Those with rules are named, too, with the reason why they cannot be chosen. */
function SegmentMenu({
  text,
  isBusy,
  choose,
}: {
  readonly text: string
  readonly isBusy: boolean
  readonly choose: (segment: Segment) => void
}) {
  const t = useTexts()
  const project = useProjectId()
  const segments = useAsk(['segments', 'list'], (api, signal) => api.GET('/segments', { signal }))
  const byHand = (segments.data ?? []).filter(({ type }) => type === 'STATIC')
  const byRules = (segments.data ?? []).filter(({ type }) => type === 'DYNAMIC')
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default" loading={isBusy} disabled={segments.data === undefined}>
          {text}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {byHand.map((segment) => (
          <Menu.Item key={segment.id} onClick={() => choose(segment)}>
            {segment.name}
          </Menu.Item>
        ))}
        {byHand.length > 0 ? null : (
          <Menu.Item component={Link} href={toProject(project, '/segments/new')}>
            {t.segments.new}
          </Menu.Item>
        )}
        {byRules.length === 0 ? null : (
          <>
            <Menu.Divider />
            <Menu.Label maw={280}>{t.contacts.byRules}</Menu.Label>
            {byRules.map(({ id, name }) => (
              <Menu.Item key={id} disabled>
                {name}
              </Menu.Item>
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
