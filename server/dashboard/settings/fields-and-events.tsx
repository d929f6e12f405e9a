import { Button, Text } from '@mantine/core'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/empty.tsx'
import { eventInWords } from '../parts/event-in-words.ts'
import { fieldInWords } from '../parts/field-in-words.ts'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The fields of contacts: what they hold, how many have them. */
export function Fields() {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const confirm = useConfirm()
  const fields = useAsk(['contacts', 'fields'], (api, signal) => api.GET('/contacts/fields', { signal }))
  const remove = useAct(
    (api, field: string) => api.DELETE('/contacts/fields/{field}', { params: { path: { field } } }),
    { changes: ['contacts'], done: ({ deletedFrom }) => t.settings.deletedFrom(formats.number(deletedFrom)) },
  )
  const ask = async (field: string) => {
    const question = { title: t.settings.deleteFieldTitle(field), yes: t.settings.deleteField, grave: true }
    if (await confirm(question)) remove.mutate(field)
  }
  return (
    <Answer of={fields}>
      {({ fields: all }) => (
        <DataTable
          name="fields"
          label={t.settings.tabs.fields}
          rows={all.filter(({ field }) => field.startsWith('data.')).map((field) => ({ ...field, id: field.field }))}
          columns={[
            {
              key: 'field',
              title: t.settings.field,
              cell: ({ field }) => <Named words={fieldInWords(field)} name={field.slice(5)} />,
            },
            { key: 'type', title: t.settings.type, cell: ({ type }) => t.contacts.types[type] ?? type },
            {
              key: 'coverage',
              title: t.settings.coverage,
              align: 'right',
              cell: ({ coverage }) => (coverage === undefined ? null : formats.percent(coverage)),
            },
          ]}
          {...(may.contacts
            ? {
                rowActions: ({ field }: { readonly field: string }) => (
                  <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(field)}>
                    {t.settings.deleteField}
                  </Button>
                ),
              }
            : {})}
          empty={<Empty title={t.settings.noFields} hint={t.settings.noFieldsHint} />}
        />
      )}
    </Answer>
  )
}

/** Words for people, with the name in rules, workflows and programs beside them where that is another one. */
function Named({ words, name }: { readonly words: string; readonly name: string }) {
  if (words === name) return <>{name}</>
  return (
    <>
      {words}{' '}
      <Text span size="xs" c="dimmed">
        {name}
      </Text>
    </>
  )
}

/** The names of events, with how often they occurred. */
export function EventNames() {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const confirm = useConfirm()
  const events = useAsk(['events', 'stats'], (api, signal) => api.GET('/events/stats', { signal }))
  const remove = useAct(
    (api, eventName: string) => api.DELETE('/events/{eventName}', { params: { path: { eventName } } }),
    { changes: ['events'], done: ({ deletedCount }) => t.settings.deletedEvents(formats.number(deletedCount)) },
  )
  const ask = async (name: string) => {
    const question = { title: t.settings.deleteEventTitle(name), yes: t.settings.deleteEvent, grave: true }
    if (await confirm(question)) remove.mutate(name)
  }
  const isOwn = (name: string) => !/^(email|contact|segment)\./.test(name)
  return (
    <Answer of={events}>
      {(all) => (
        <DataTable
          name="events"
          label={t.settings.tabs.events}
          rows={all.map((event) => ({ ...event, id: event.name }))}
          columns={[
            {
              key: 'name',
              title: t.settings.event,
              cell: ({ name }) => <Named words={eventInWords(name, t)} name={name} />,
            },
            { key: 'count', title: t.settings.count, align: 'right', cell: ({ count }) => formats.number(count) },
            { key: 'last', title: t.settings.lastAt, cell: ({ lastAt }) => <Moment at={lastAt} /> },
          ]}
          {...(may.contacts
            ? {
                rowActions: ({ name }: { readonly name: string }) =>
                  isOwn(name) ? (
                    <Button size="compact-xs" variant="subtle" color="red" onClick={() => void ask(name)}>
                      {t.settings.deleteEvent}
                    </Button>
                  ) : null,
              }
            : {})}
          empty={<Empty title={t.settings.noEvents} hint={t.settings.noEventsHint} />}
        />
      )}
    </Answer>
  )
}
