import { Alert, Anchor, Button, FileButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useFormats } from '../parts/formats.ts'
import { useNotices } from '../parts/notices.ts'
import { SectionHead } from '../parts/section-head.tsx'
import { type Column, DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { REPORT_DAYS, useFigures } from './queries.ts'

type Figures = components['schemas']['ReceiverFigures']
type Figure = components['schemas']['ReceiverFigure']
type Receiver = Figure['receiver']
type Kind = Figure['figure']
type Upload = { readonly file: File; readonly numbers?: 'percent' | 'fraction' }

/** How receivers judge the mail of a domain, by their own figures out of files that people upload, beside ours. */
export function ReceiverFigures({ id }: { readonly id: string }) {
  const t = useTexts()
  const may = useMay()
  const figures = useFigures(id)
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="md">
        <SectionHead
          title={t.figures.title}
          hint={
            <>
              {t.figures.hint(REPORT_DAYS)}{' '}
              {Object.entries(t.figures.pages).map(([name, url], at) => (
                <Fragment key={name}>
                  {at === 0 ? null : ', '}
                  <Anchor href={url} target="_blank" rel="noreferrer noopener" inherit underline="always">
                    {name}
                  </Anchor>
                </Fragment>
              ))}
            </>
          }
        />
        {may.domains ? <AddFile id={id} /> : null}
      </Group>
      <Answer of={figures} lines={3}>
        {(found) =>
          found.figures.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.figures.none}
            </Text>
          ) : (
            <Stack gap="lg">
              <OfGoogle {...found} />
              <OfMicrosoft {...found} />
            </Stack>
          )
        }
      </Answer>
    </Paper>
  )
}

/** Uploads a file; asks what its numbers are where only a person can say it. */
function AddFile({ id }: { readonly id: string }) {
  const t = useTexts()
  const notices = useNotices()
  const project = useProjectId()
  const [unclear, setUnclear] = useState<File | undefined>()
  const path = { id }
  const upload = useAct((api, body: Upload) => api.POST('/domains/{id}/figures', { params: { path }, body }), {
    changes: ['domains'],
    done: ({ count, receiver }) => t.figures.added(count, t.figures.receivers[receiver]),
    onDone: () => setUnclear(undefined),
    quiet: true,
  })
  const add = (body: Upload) =>
    upload.mutate(body, {
      onError(error) {
        const isUnclear = error instanceof ApiError && error.fields.some(({ field }) => field === 'numbers')
        setUnclear(isUnclear ? body.file : undefined)
        if (!isUnclear) notices.refused(error, project)
      },
    })
  return (
    <Stack gap="xs" align="flex-end">
      <FileButton accept=".csv,text/csv" onChange={(file) => file && add({ file })}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconUpload size={16} />} loading={upload.isPending}>
            {t.figures.add}
          </Button>
        )}
      </FileButton>
      {unclear === undefined ? null : (
        <Alert color="yellow" p="xs" title={t.figures.unclear}>
          <Group gap="xs">
            {(['percent', 'fraction'] as const).map((numbers) => (
              <Button key={numbers} size="xs" variant="default" onClick={() => add({ file: unclear, numbers })}>
                {t.figures.numbers[numbers]}
              </Button>
            ))}
          </Group>
        </Alert>
      )}
    </Stack>
  )
}

/** The figures of Google that are one a day; others have a subject. */
const DAILY: readonly Kind[] = [
  'spamRate',
  'domainReputation',
  'ipReputation',
  'spf',
  'dkim',
  'dmarc',
  'tlsIn',
  'tlsOut',
]
const OF_SNDS: readonly Kind[] = ['filterResult', 'complaintRate', 'trapHits', 'recipients', 'messages']

function OfGoogle(found: Figures) {
  const of = found.figures.filter(({ receiver }) => receiver === 'google')
  const daily = of.filter(({ figure, subject }) => subject === '' && DAILY.includes(figure))
  return (
    <OfReceiver receiver="google" of={of}>
      <Days receiver="google" kinds={DAILY} figures={daily} own={found.own} />
      <Others figures={of.filter((figure) => !daily.includes(figure))} />
    </OfReceiver>
  )
}

function OfMicrosoft(found: Figures) {
  const of = found.figures.filter(({ receiver }) => receiver === 'microsoft')
  const data = of.filter(({ figure }) => OF_SNDS.includes(figure))
  return (
    <OfReceiver receiver="microsoft" of={of}>
      <Days receiver="microsoft" kinds={OF_SNDS} figures={data} own={found.own} />
      <Others figures={of.filter((figure) => !data.includes(figure))} />
    </OfReceiver>
  )
}

function OfReceiver(props: {
  readonly receiver: Receiver
  readonly of: readonly Figure[]
  readonly children: React.ReactNode
}) {
  const { receiver, of, children } = props
  const t = useTexts()
  const formats = useFormats()
  const last = of
    .map(({ createdAt }) => createdAt)
    .toSorted()
    .at(-1)
  if (last === undefined) return null
  return (
    <Stack gap="sm">
      <div>
        <Title order={3} size="h5">
          {t.figures.receivers[receiver]}
        </Title>
        <Text size="sm" c="dimmed">
          {t.figures.source(formats.time(last))}
        </Text>
      </div>
      {children}
    </Stack>
  )
}

/** A row for each day, and address where there is one, with what this server counted on that day. */
function Days(props: {
  readonly receiver: Receiver
  readonly kinds: readonly Kind[]
  readonly figures: readonly Figure[]
  readonly own: Figures['own']
}) {
  const { receiver, kinds, figures } = props
  const t = useTexts()
  const formats = useFormats()
  const show = useShown()
  if (figures.length === 0) return null
  const own = new Map(props.own.filter((each) => each.receiver === receiver).map((each) => [each.day, each]))
  const byRow = Map.groupBy(figures, ({ day, subject }) => `${day} ${subject}`)
  const rows = [...byRow].map(([id, of]) => {
    const [{ day = '', subject = '' } = {}] = of
    return { id, day, subject, own: own.get(day), by: new Map(of.map((figure) => [figure.figure, figure])) }
  })
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { key: 'day', title: t.figures.day, cell: ({ day }) => formats.date(day) },
    { key: 'subject', title: t.figures.address, sparse: true, cell: ({ subject }) => subject || null },
    ...kinds.map((kind): Column<(typeof rows)[number]> => {
      return {
        key: kind,
        title: t.figures.kinds[kind],
        align: 'right',
        sparse: true,
        cell: ({ by }) => show(by.get(kind)),
      }
    }),
    {
      key: 'own',
      title: t.figures.own(t.figures.mailboxes[receiver]),
      align: 'right',
      sparse: true,
      cell: ({ own: ours }) =>
        ours
          ? t.figures.ownFigures(formats.number(ours.delivered), ours.complained, formats.number(ours.complained))
          : null,
    },
  ]
  return (
    <DataTable
      name={`figures-${receiver}`}
      label={t.figures.receivers[receiver]}
      columns={columns}
      rows={rows}
      empty={null}
    />
  )
}

/** Figures with a subject: errors, feedback loops, requirements, blocked addresses. */
function Others({ figures }: { readonly figures: readonly Figure[] }) {
  const t = useTexts()
  const formats = useFormats()
  const show = useShown()
  if (figures.length === 0) return null
  const columns: readonly Column<Figure>[] = [
    { key: 'day', title: t.figures.day, cell: ({ day }) => formats.date(day) },
    { key: 'figure', title: t.figures.figure, cell: ({ figure }) => t.figures.kinds[figure] },
    { key: 'subject', title: t.figures.subject, sparse: true, cell: ({ subject }) => subject || null },
    // a reason may be a whole sentence, which numbers' cells do not break
    { key: 'value', title: t.figures.value, cell: (figure) => show(figure) },
  ]
  return <DataTable name="figures-others" label={t.figures.others} columns={columns} rows={figures} empty={null} />
}

/** How a figure is shown: as the receiver wrote it where that is more than a number. */
function useShown() {
  const t = useTexts()
  const formats = useFormats()
  return (figure: Figure | undefined) => {
    if (figure === undefined) return null
    const { value, word } = figure
    if (word !== null) return t.figures.words[word] ?? word
    if (value === null) return null
    return COUNTS.has(figure.figure) ? formats.number(value) : formats.percent(value)
  }
}

const COUNTS: ReadonlySet<Kind> = new Set(['trapHits', 'recipients', 'messages', 'ipReputation'])
