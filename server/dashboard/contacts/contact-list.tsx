import { Button, Menu, SegmentedControl, Text } from '@mantine/core'
import { IconAddressBook, IconDownload, IconFilter, IconPlus, IconUpload } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { API_URL } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import type { ActiveFilter } from '../parts/active-filters.tsx'
import { useAddress } from '../parts/address.ts'
import { CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { fieldLabel } from '../parts/field-label.ts'
import { FilterBuilder } from '../parts/filter/filter-builder.tsx'
import { type Filter, inWords, isGroup } from '../parts/filter/language.ts'
import { useFilterFields } from '../parts/filter/use-fields.ts'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { downloadFrom } from '../parts/save-file.ts'
import type { Column } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { shown } from './data-text.ts'
import { NewContact } from './new-contact.tsx'

type Contact = components['schemas']['Contact']

const NOTHING: Filter = { operator: 'AND', conditions: [] }
/** Fields of contacts that are columns without being chosen. */
const SHOWN_FIELDS = 3
/** Longer texts, in characters, are cut after three lines. */
const LONGEST = 100
/** Fields that come before all others, since people are known by them. */
const FIRST_FIELDS = ['firstName', 'lastName', 'name', 'company', 'city'].map((key) => `data.${key}`)

/** A long text would push all other contacts off the screen; a short one stays beside its name on a phone. */
function clamped(text: string): ReactNode {
  if (text.length <= LONGEST) return text
  return (
    <Text inherit span lineClamp={3}>
      {text}
    </Text>
  )
}

export function ContactList() {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const { values, change } = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [rules, setRules] = useState<Filter | undefined>()
  const formats = useFormats()
  const fields = useAsk(['contacts', 'fields'], (api, signal) => api.GET('/contacts/fields', { signal }))
  const known = (fields.data?.fields ?? []).map(({ field }) => field).filter((field) => field.startsWith('data.'))
  const data = [
    ...FIRST_FIELDS.filter((field) => known.includes(field)),
    ...known.filter((field) => !FIRST_FIELDS.includes(field)),
  ]
  const columns: readonly Column<Contact>[] = [
    { key: 'email', title: t.contacts.address, cell: ({ email }) => email, sortable: true },
    {
      key: 'subscribed',
      title: t.anywhere.status,
      cell: ({ subscribed }) => <Pill status={subscribed ? 'SUBSCRIBED' : 'NOT_SUBSCRIBED'} />,
    },
    ...data.map((field, at) => ({
      key: field,
      title: fieldLabel(field.slice(5), t),
      hidden: at >= SHOWN_FIELDS,
      cell: (contact: Contact) => clamped(shown(contact.data[field.slice(5)], formats)),
    })),
    { key: 'createdAt', title: t.anywhere.created, cell: ({ createdAt }) => <Moment at={createdAt} />, sortable: true },
    { key: 'updatedAt', title: t.anywhere.updated, hidden: true, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
  ]
  const add = (
    <>
      <Button component={Link} href="/import" variant="default" leftSection={<IconUpload size={16} />}>
        {t.contacts.import}
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
        {t.contacts.new}
      </Button>
    </>
  )
  const filter = values.filter
  return (
    <Page
      title={t.contacts.title}
      actions={
        <>
          <CopyCurl path={filter ? `/contacts?filter=${encodeURIComponent(filter)}` : '/contacts'} />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => void exportContacts(project, values)}
          >
            {t.contacts.export}
          </Button>
          {may.contacts ? add : null}
        </>
      }
    >
      {selected.size > 0 ? <BulkBar ids={selected} onDone={() => setSelected(new Set())} /> : null}
      <List<Contact>
        // columns of a project that are known later are not lost
        key={fields.data === undefined ? 'waiting' : 'ready'}
        noun="contacts"
        label={t.contacts.title}
        search={t.contacts.find}
        filters={['subscribed', 'filter']}
        says={(name, value) =>
          name === 'filter'
            ? rulesOf(value)
            : value === 'true'
              ? t.contacts.onlySubscribed
              : t.contacts.onlyUnsubscribed
        }
        controls={
          <>
            <SegmentedControl
              value={values.subscribed ?? ''}
              onChange={(subscribed) => change({ subscribed, cursor: undefined, page: undefined })}
              data={[
                { value: '', label: t.contacts.any },
                { value: 'true', label: t.contacts.onlySubscribed },
                { value: 'false', label: t.contacts.onlyUnsubscribed },
              ]}
            />
            <Menu>
              <Button
                variant={filter ? 'light' : 'default'}
                leftSection={<IconFilter size={16} />}
                onClick={() => setRules((filter && filterIn(filter)) || NOTHING)}
              >
                {filter ? t.contacts.filtered : t.contacts.moreFilters}
              </Button>
            </Menu>
          </>
        }
        ask={(api, { page: _, ...query }, signal) =>
          api.GET('/contacts', { params: { query: { ...query, ...(filter ? { total: false } : {}) } }, signal })
        }
        {...(filter
          ? // not given up when the list is made anew for its columns: the server would count on, and then once more
            { count: (api, query) => api.GET('/contacts/count', { params: { query } }) }
          : {})}
        href={({ id }) => `/${id}`}
        rowName={({ email }) => email}
        columns={columns}
        sortedBy={{ key: 'createdAt', direction: 'desc' }}
        {...(may.contacts ? { selection: { ids: selected, change: setSelected } } : {})}
        empty={
          <Empty
            icon={<IconAddressBook />}
            title={t.contacts.empty}
            hint={t.contacts.emptyHint}
            action={may.contacts ? <Button.Group>{add}</Button.Group> : null}
          />
        }
      />
      <SidePanel title={t.contacts.new} opened={values.new === '1'} onClose={() => change({ new: undefined })}>
        <NewContact onDone={() => change({ new: undefined })} />
      </SidePanel>
      <SidePanel
        title={t.contacts.moreFilters}
        opened={rules !== undefined}
        onClose={() => setRules(undefined)}
        size="xl"
      >
        {rules === undefined ? null : (
          <>
            <FilterBuilder value={rules} onChange={setRules} />
            <Button
              mt="md"
              onClick={() => {
                const chosen = rules.conditions.length === 0 ? undefined : JSON.stringify(rules)
                change({ filter: chosen, cursor: undefined, page: undefined })
                setRules(undefined)
              }}
            >
              {t.anywhere.apply}
            </Button>
          </>
        )}
      </SidePanel>
    </Page>
  )
}

/** The filter in the address, unless something else was written there. */
function filterIn(text: string): Filter | undefined {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null && 'conditions' in read ? (read as Filter) : undefined
  } catch {
    return undefined
  }
}

/** The rules of a filter, each to be taken away by itself; where one of them is enough, they are one. */
function rulesOf(text: string): readonly ActiveFilter[] {
  const filter = filterIn(text)
  if (filter === undefined) return [{ key: 'filter', text, without: { filter: undefined } }]
  const { operator, conditions } = filter
  if (operator !== 'AND') return [{ key: text, text: <InWords filter={filter} />, without: { filter: undefined } }]
  return conditions.map((condition, at) => {
    const rest = conditions.filter((_, other) => other !== at)
    return {
      key: `${at} ${JSON.stringify(condition)}`,
      text: <InWords filter={isGroup(condition) ? condition : { operator, conditions: [condition] }} />,
      without: { filter: rest.length === 0 ? undefined : JSON.stringify({ operator, conditions: rest }) },
    }
  })
}

function InWords({ filter }: { readonly filter: Filter }) {
  const t = useTexts()
  const formats = useFormats()
  const { types, names } = useFilterFields(filter)
  return <>{inWords(filter, t, types, names, formats)}</>
}

/** Downloads the contacts that the list shows, as CSV. */
function exportContacts(project: string, { search, subscribed, filter }: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(
    Object.entries({ search, subscribed, filter }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
  return downloadFrom(new URL(`contacts/export?${query}`, API_URL), project, 'contacts.csv')
}
