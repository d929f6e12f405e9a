import { Alert, Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconUpload } from '@tabler/icons-react'
import { useEffect, useMemo, useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { type Api, answerOf } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useSession } from '../api/session.tsx'
import { DropArea } from '../parts/drop-area.tsx'
import { useFormats } from '../parts/formats.ts'
import { dropFile, keepFile, keptFile } from '../parts/kept-files.ts'
import { useNotices } from '../parts/notices.ts'
import { Page } from '../parts/page.tsx'
import { useUnsavedGuard } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import { rowsOf } from './csv.ts'
import { ImportColumns, knownFields, suggestedFor, type Wanted } from './import-columns.tsx'
import { type Encoding, ImportEncoding, plainOf } from './import-encoding.tsx'
import { ImportJob } from './import-job.tsx'
import { ImportOutlook, isNoTable } from './import-outlook.tsx'
import { ImportTopic } from './import-topic.tsx'

/** The pause after which a changed column is looked at anew. */
const PAUSE = 400

interface Chosen {
  readonly file: File
  readonly bytes: ArrayBuffer
  /** The choices for it from before the page was left. */
  readonly choices?: Choices
}

/** The choices of a person for a file. */
interface Choices {
  readonly wanted: Wanted
  readonly topic: string
  readonly consentText: string
  readonly resubscribe: boolean
  /** Left out: it is detected. */
  readonly encoding?: Encoding
}

const NO_CHOICES: Choices = { wanted: {}, topic: '', consentText: '', resubscribe: false }

/** A file is chosen, its columns are looked at, and a job imports it. */
export function ImportContacts() {
  const t = useTexts()
  const name = useKeptName()
  const [chosen, setChosen] = useState<Chosen | undefined>()
  useEffect(() => {
    let isGone = false
    void keptFile<Choices>(name).then(async (kept) => {
      if (kept === undefined) return
      const bytes = await kept.file.arrayBuffer()
      if (!isGone) setChosen((given) => given ?? { ...kept, bytes })
    })
    return () => {
      isGone = true
    }
  }, [name])
  const another = () => {
    setChosen(undefined)
    void dropFile(name)
  }
  return (
    <Page title={t.contacts.importTitle} hint={t.contacts.importHint} trail={[{ text: t.contacts.title, href: '/' }]}>
      {chosen === undefined ? (
        <DropArea
          icon={<IconUpload size={32} aria-hidden />}
          text={t.contacts.drop}
          choose={t.contacts.choose}
          accept="text/csv,.csv,.txt,.tsv"
          onFiles={async ([file]) => file && setChosen({ file, bytes: await file.arrayBuffer() })}
        />
      ) : (
        <Import {...chosen} name={name} onAnother={another} />
      )}
    </Page>
  )
}

/** The name under which a chosen file is kept: in another project another person's file must not appear. */
function useKeptName(): string {
  const { user } = useSession()
  return `import ${useProjectId()} ${user.id}`
}

function Import({
  file,
  bytes,
  choices: before,
  name,
  onAnother,
}: Chosen & { readonly name: string; readonly onAnother: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  const notices = useNotices()
  const [choices, setChoices] = useState(before ?? NO_CHOICES)
  const { wanted, topic, consentText, resubscribe, encoding: named } = choices
  const choose = (some: Partial<Choices>) => setChoices((now) => ({ ...now, ...some }))
  const [job, setJob] = useState<string | undefined>()
  const isOpen = job === undefined
  useEffect(() => {
    if (isOpen) void keepFile(name, file, choices)
    else void dropFile(name)
  }, [isOpen, name, file, choices])
  useUnsavedGuard(isOpen, async () => {
    const isKept = await keepFile(name, file, choices)
    if (isKept) notices.done(t.contacts.fileKept(file.name))
    return isKept
  })
  const [columns] = useDebouncedValue(JSON.stringify(wanted), PAUSE)
  const isSettled = columns === JSON.stringify(wanted)
  const outlook = useAsk(
    ['contacts', 'import-preview', file.name, file.size, file.lastModified, columns, resubscribe, named],
    (api, signal) =>
      api.POST('/contacts/import/preview', {
        body: { file, columns, resubscribe, ...(named && { encoding: named }) },
        signal,
      }),
    { keep: true, once: true },
  )
  const start = useAct(
    (api: Api) =>
      api.POST('/contacts/import', {
        body: {
          file,
          columns,
          resubscribe,
          ...(named && { encoding: named }),
          ...(topic === '' ? {} : { topic, consentText }),
        },
      }),
    {
      changes: [],
      onDone: ({ jobId }) => setJob(jobId),
    },
  )
  const missing = outlook.data?.missingTopics.map(({ name }) => name) ?? []
  const makeTopics = useAct(
    async (api: Api) => {
      for (const name of missing.slice(1)) await answerOf(api.POST('/topics', { body: { name } }))
      return api.POST('/topics', { body: { name: missing[0] ?? '' } })
    },
    { changes: ['topics'], onDone: () => void outlook.refetch() },
  )
  // what was last made of the columns still stands beside a refusal of the newest choice
  const [reports, setReports] = useState(outlook.data?.columns)
  if (outlook.data !== undefined && outlook.data.columns !== reports) setReports(outlook.data.columns)
  const known = useAsk(...knownFields)
  // once the page stands: a choice made before that would never be looked at, when the file was looked at before
  useEffect(() => {
    const suggested = suggestedFor(outlook.data?.columns, known.data, wanted)
    if (suggested !== undefined) setChoices((now) => ({ ...now, wanted: suggested }))
  }, [outlook.data, known.data, wanted])
  const { encoding, delimiter, keptUnsubscribed = 0, resubscribed = 0 } = outlook.data ?? {}
  const left = keptUnsubscribed + resubscribed
  const rows = useMemo(
    () => rowsOf(bytes, { ...(encoding && { encoding }), ...(delimiter && { delimiter }) }),
    [bytes, encoding, delimiter],
  )
  if (job !== undefined) return <ImportJob id={job} topic={topic} onAnother={onAnother} />
  return (
    <Stack>
      {before === undefined ? null : <Alert color="blue">{t.contacts.goesOn(file.name)}</Alert>}
      {isNoTable(outlook.error) ? null : (
        <ImportColumns
          name={file.name}
          rows={rows}
          reports={reports}
          wanted={wanted}
          change={(columns) => choose({ wanted: columns })}
        />
      )}
      <ImportEncoding
        found={outlook.data?.encoding}
        named={named}
        error={outlook.error}
        onChange={(encoding) => choose({ encoding, wanted: plainOf(wanted) })}
      />
      <ImportTopic value={topic} onChange={(id) => choose({ topic: id })} />
      {topic === '' ? null : (
        <Textarea
          label={t.topics.consentText}
          description={t.topics.consentTextHint}
          value={consentText}
          onChange={({ currentTarget }) => choose({ consentText: currentTarget.value })}
          maxLength={2000}
          autosize
          minRows={2}
        />
      )}
      <ImportOutlook outlook={outlook} />
      {missing.length === 0 ? null : (
        <Alert color="yellow" title={t.contacts.missingTopics(missing.length, formats.number(missing.length))}>
          <Text size="sm">{missing.join(' · ')}</Text>
          <Button size="xs" mt="xs" loading={makeTopics.isPending} onClick={() => makeTopics.mutate()}>
            {t.contacts.makeTopics(missing.length, formats.number(missing.length))}
          </Button>
        </Alert>
      )}
      {left === 0 ? null : (
        <Checkbox
          label={t.contacts.resubscribe(left, formats.number(left))}
          description={t.contacts.resubscribeHint}
          checked={resubscribe}
          onChange={({ currentTarget }) => choose({ resubscribe: currentTarget.checked })}
        />
      )}
      <Group>
        <Button
          loading={start.isPending}
          disabled={!isSettled || !outlook.data?.totalRows || outlook.isPlaceholderData || outlook.isError}
          onClick={() => start.mutate()}
        >
          {t.contacts.startImport}
        </Button>
        <Button variant="default" onClick={onAnother}>
          {t.contacts.another}
        </Button>
      </Group>
    </Stack>
  )
}
