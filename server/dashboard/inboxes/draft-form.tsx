import { Button, Fieldset, FileButton, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { isMachineAddress } from '../../../core/values/machine-address.ts'
import { useAct, useAsk } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { SavingText, useAutosave } from '../parts/autosave.tsx'
import { base64Of } from '../parts/base64-of.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { changedOnly, isSame } from '../parts/three-way.ts'
import { forgetUnsaved } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import { htmlOf, textOf } from './body-text.ts'
import { useDropUntouched } from './drop-untouched.ts'
import { FileDrop } from './file-drop.tsx'
import { DraftFiles } from './files.tsx'
import { firstIn, lineOf, listed } from './people.ts'
import { SavedAnswers } from './saved-answers.tsx'

type Draft = components['schemas']['InboxDraft']

/** For how long a mail can be taken back, in seconds. */
const UNDO_SECONDS = 10
/** How often it is asked what others made of the draft meanwhile. */
const EVERY_MS = 15_000
/** How many messages are looked through for one of a person. */
const NEWEST = 10
const CHANGES = ['threads', 'drafts', 'emails', 'inboxes'] as const

/** Writes a new mail, or goes on with a draft, and sends it. */
export function DraftForm({
  inboxId,
  draft,
  isBegun = false,
  onDone,
}: {
  readonly inboxId: string
  readonly draft?: Draft
  /** True for an answer that was begun just now: it goes when nothing is written in it. */
  readonly isBegun?: boolean
  /** Gets the thread that the mail is in; undefined when none was sent. */
  readonly onDone: (threadId?: string) => void
}) {
  const t = useTexts()
  const api = useApi()
  const confirm = useConfirm()
  const [kept, setKept] = useState(draft)
  const keptId = kept?.id
  const { data: asked } = useAsk<Draft>(
    ['drafts', keptId],
    (calling, signal) => calling.GET('/drafts/{id}', { params: { path: { id: keptId ?? '' } }, signal }),
    { enabled: keptId !== undefined, every: EVERY_MS },
  )
  const shown = kept && asked && asked.version >= kept.version ? asked : kept
  const stored = useRef(shown)
  stored.current = shown
  const keep = (saved: Draft | undefined) => {
    // a file may have come in while the text was being saved
    if (saved && saved.id === stored.current?.id && saved.version < stored.current.version) return
    stored.current = saved
    setKept(saved)
  }
  // an unfinished sentence would be approved
  const isWaiting = shown?.status === 'waiting'
  const labels = {
    to: t.inboxes.to,
    cc: t.inboxes.cc,
    bcc: t.inboxes.bcc,
    subject: t.inboxes.subject,
    text: t.inboxes.text,
  }
  const form = useSharedForm({
    seen: useMemo(() => seenOf(shown), [shown]),
    seenAfter: seenOf,
    async read() {
      const now = await answerOf(api.GET('/drafts/{id}', { params: { path: { id: stored.current?.id ?? '' } } }))
      keep(now)
      return seenOf(now)
    },
    save: (values, before) => store(api, inboxId, stored.current, requestOf(values), before),
    labels,
    show: { to: asTyped, cc: asTyped, bcc: asTyped, subject: asTyped, text: asTyped },
    names: { body: 'text' },
    changes: ['drafts'],
    onSaved: keep,
    autosave: !isWaiting,
    isNew: () => stored.current === undefined,
  })
  const hasBcc = (draft?.bcc ?? []).length > 0 || form.values.bcc !== ''
  const send = useAct(
    (calling, { id, version, allowEmpty }: Pick<Draft, 'id' | 'version'> & { readonly allowEmpty: boolean }) =>
      calling.POST('/drafts/{id}/send', {
        params: { path: { id } },
        body: { version, undoSeconds: UNDO_SECONDS, allowEmpty },
      }),
    {
      changes: CHANGES,
      done: ({ status }) => t.inboxes.draftStatus[status],
      undo: ({ id, status }) =>
        status === 'sent' ? (undoing) => undoing.POST('/drafts/{id}/undo', { params: { path: { id } } }) : undefined,
      onDone: ({ threadId }) => onDone(threadId ?? undefined),
      // such as a mail to no one: beside the field
      quiet: true,
    },
  )
  const discard = useAct((calling, id: string) => calling.DELETE('/drafts/{id}', { params: { path: { id } } }), {
    changes: CHANGES,
    done: t.inboxes.discarded,
    onDone: () => {
      // what is written after that is another draft
      keep(undefined)
      forgetUnsaved()
      onDone()
    },
  })
  const attach = useAct(
    async (calling, file: File) =>
      calling.POST('/drafts/{id}/attachments', {
        params: { path: { id: stored.current?.id ?? '' } },
        body: {
          filename: file.name.replaceAll(/["']/g, ' '),
          contentType: file.type || 'application/octet-stream',
          content: await base64Of(file),
        },
      }),
    { changes: ['drafts'], onDone: keep },
  )
  const detach = useAct(
    (calling, fileId: string) =>
      calling.DELETE('/drafts/{id}/attachments/{fileId}', {
        params: { path: { id: stored.current?.id ?? '', fileId } },
      }),
    { changes: ['drafts'], onDone: keep },
  )
  /** Files go to a draft that is there. */
  const attachAll = async (files: readonly File[]) => {
    if (files.length === 0 || isSending || (stored.current === undefined && !(await form.submit()))) return
    // one after the other: each makes a version of the draft
    for (const file of files) await attach.mutateAsync(file)
  }
  const add = (files: readonly File[]) => {
    // what was refused is shown by `attach`
    attachAll(files).catch(() => {})
  }
  const [isSending, setSending] = useState(false)
  const isBusy = isSending || attach.isPending || detach.isPending || discard.isPending
  const saving = useAutosave(form, !isWaiting && !isBusy)
  const isUntouched = isBegun && !isBusy && !form.isBusy && !form.isChanged && form.values.text === ''
  useDropUntouched(isUntouched ? draft : undefined)
  const [isChoosing, setChoosing] = useState(false)
  const written = useRef<HTMLTextAreaElement>(null)
  /** Puts a text where the cursor is, which goes behind it. */
  const insert = (text: string) => {
    const {
      value = form.values.text,
      selectionStart: from = value.length,
      selectionEnd: to = from,
    } = written.current ?? {}
    form.set('text', value.slice(0, from) + text + value.slice(to))
    requestAnimationFrame(() => {
      written.current?.focus()
      written.current?.setSelectionRange(from + text.length, from + text.length)
    })
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== ';' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    setChoosing(true)
  }
  const mayGo = async (isEmpty: boolean) => {
    const question = { title: t.inboxes.withoutText, text: t.inboxes.nothingWritten, yes: t.inboxes.sendAllTheSame }
    if (isEmpty && !(await confirm(question))) return false
    const since = draft?.kind === 'forward' ? undefined : await cameSince(api, draft)
    if (since === undefined) return true
    const text = since.incoming ? t.inboxes.cameMeanwhile(since.from) : t.inboxes.sentMeanwhile
    return confirm({ title: t.inboxes.sendNonetheless, text, yes: t.inboxes.sendAllTheSame })
  }
  const sendNow = async () => {
    const written = form.values
    const files = fileIds(shown)
    const isEmpty = draft?.kind !== 'forward' && files.length === 0 && written.text.trim() === ''
    setSending(true)
    try {
      if (!(await mayGo(isEmpty)) || !(await form.submit()) || stored.current === undefined) return
      // it has what others wrote and attached, too, which is seen before it is sent
      const isSeen = isSame(form.current().values, written) && isSame(fileIds(stored.current), files)
      if (!isSeen) return form.refuse(new Error(t.inboxes.changedMeanwhile))
      await send.mutateAsync({ ...stored.current, allowEmpty: isEmpty })
    } catch (refused) {
      form.refuse(refused as Error)
    } finally {
      setSending(false)
    }
  }
  const { to, cc, bcc } = form.values
  const addresses = [to, cc, bcc].flatMap(listed).map((each) => (typeof each === 'string' ? each : each.email))
  const unread = addresses.filter(isMachineAddress)
  return (
    <FormBox
      form={form}
      beside={
        <>
          <SavingText saving={saving} saved={t.campaigns.savedAt} labels={{ ...labels, body: labels.text }} />
          {stored.current === undefined ? null : (
            <Button
              variant="subtle"
              color="gray"
              loading={discard.isPending}
              disabled={isSending}
              onClick={() => {
                if (stored.current !== undefined) discard.mutate(stored.current.id)
              }}
            >
              {t.inboxes.discardDraft}
            </Button>
          )}
        </>
      }
      actions={
        <>
          <Button
            type="submit"
            variant="default"
            loading={form.isBusy && !isSending}
            disabled={!form.isChanged || isBusy}
          >
            {t.inboxes.keepDraft}
          </Button>
          <Button loading={isSending} disabled={isBusy || form.isBusy} onClick={() => void sendNow()}>
            {t.inboxes.send}
          </Button>
        </>
      }
    >
      <Fieldset variant="unstyled" disabled={isSending}>
        <Stack>
          <TextInput
            label={t.inboxes.to}
            description={t.inboxes.toHint}
            required
            data-autofocus={draft === undefined || undefined}
            {...form.text('to')}
          />
          <TextInput label={t.inboxes.cc} {...form.text('cc')} />
          {hasBcc ? <TextInput label={t.inboxes.bcc} {...form.text('bcc')} /> : null}
          {unread.length === 0 ? null : (
            <Text size="sm" c="orange.9" role="status">
              {t.inboxes.readByNoOne(unread.join(', '))}
            </Text>
          )}
          <TextInput label={t.inboxes.subject} required {...form.text('subject')} />
          <FileDrop onFiles={add}>
            <Textarea
              label={t.inboxes.text}
              autosize
              minRows={8}
              maxRows={24}
              data-autofocus={draft !== undefined || undefined}
              ref={written}
              onKeyDown={pressed}
              {...form.text('text')}
            />
            <Group gap="xs" mt="xs">
              <FileButton<true> multiple onChange={add}>
                {(props) => (
                  <Button
                    variant="default"
                    size="xs"
                    leftSection={<IconPaperclip size={14} />}
                    loading={attach.isPending}
                    {...props}
                  >
                    {t.inboxes.addFiles}
                  </Button>
                )}
              </FileButton>
              <SavedAnswers to={firstIn(to)} isOpen={isChoosing} onOpen={setChoosing} onChoose={insert} />
              {shown === undefined ? null : <DraftFiles draft={shown} onRemove={(fileId) => detach.mutate(fileId)} />}
            </Group>
          </FileDrop>
        </Stack>
      </Fieldset>
    </FormBox>
  )
}

/** A draft as it is typed. */
interface DraftValues {
  readonly to: string
  readonly cc: string
  readonly bcc: string
  readonly subject: string
  readonly text: string
}

const asTyped = (text: string) => text

function fileIds(draft: Draft | undefined): readonly string[] {
  return (draft?.attachments ?? []).map(({ id }) => id)
}

function seenOf(draft: Draft | undefined): Seen<DraftValues> {
  const { to = [], cc = [], bcc = [], subject = '', body = '', version = 0 } = draft ?? {}
  return {
    values: { to: lineOf(to), cc: lineOf(cc), bcc: lineOf(bcc), subject, text: textOf(body) },
    version,
  }
}

function requestOf({ to, cc, bcc, subject, text }: DraftValues) {
  return { to: listed(to), cc: listed(cc), bcc: listed(bcc), subject, body: htmlOf(text) }
}

/** Stores the draft. A body that a program wrote stays as it is as long as its text does. */
async function store(
  api: ReturnType<typeof useApi>,
  inboxId: string,
  draft: Draft | undefined,
  body: ReturnType<typeof requestOf>,
  { values, version }: Seen<DraftValues>,
): Promise<Draft> {
  if (draft === undefined) {
    return answerOf(api.POST('/inboxes/{id}/drafts', { params: { path: { id: inboxId } }, body }))
  }
  const changes = changedOnly(body, requestOf(values))
  if (Object.keys(changes).length === 0) return draft
  return answerOf(api.PATCH('/drafts/{id}', { params: { path: { id: draft.id } }, body: { ...changes, version } }))
}

/** The newest message of a person in the conversation, if it came or was sent after the answer was begun. */
async function cameSince(api: ReturnType<typeof useApi>, draft: Draft | undefined) {
  const id = draft?.threadId
  if (draft === undefined || id == null) return undefined
  const asked = api.GET('/threads/{id}/messages', { params: { path: { id }, query: { limit: NEWEST } } })
  // the answer itself is refused where its conversation is gone
  const newest = await answerOf(asked).catch(() => undefined)
  return newest?.data.find(
    ({ id: messageId, at, incoming, from }) =>
      messageId !== draft.messageId && at > draft.createdAt && !(incoming && isMachineAddress(from)),
  )
}
