import { Button, FileButton, Group, Text, Textarea, TextInput } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { isMachineAddress } from '../../../core/values/machine-address.ts'
import { ApiError } from '../api/api-error.ts'
import { useAct } from '../api/ask.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { SavingText, useAutosave } from '../parts/autosave.tsx'
import { base64Of } from '../parts/base64-of.ts'
import { useConfirm } from '../parts/confirm.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
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
  const stored = useRef(draft)
  const [shown, setShown] = useState(draft)
  const keep = (kept: Draft) => {
    // a file may have come in while the text was being saved
    if (kept.id === stored.current?.id && kept.version < stored.current.version) return
    stored.current = kept
    setShown(kept)
  }
  const hasBcc = (draft?.bcc ?? []).length > 0
  const form = useForm({
    initial: {
      to: lineOf(draft?.to ?? []),
      cc: lineOf(draft?.cc ?? []),
      bcc: lineOf(draft?.bcc ?? []),
      subject: draft?.subject ?? '',
      text: draft === undefined ? '' : textOf(draft.body),
    },
    save: ({ to, cc, bcc, subject, text }, saved) =>
      store(api, inboxId, stored.current, {
        to: listed(to),
        cc: listed(cc),
        subject,
        ...(hasBcc ? { bcc: listed(bcc) } : {}),
        // a body that a program wrote stays as it is as long as its text does
        ...(stored.current !== undefined && text === saved.text ? {} : { body: htmlOf(text) }),
      }),
    changes: ['drafts'],
    onSaved: keep,
    autosave: true,
  })
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
    },
  )
  const discard = useAct((calling, id: string) => calling.DELETE('/drafts/{id}', { params: { path: { id } } }), {
    changes: CHANGES,
    done: t.inboxes.discarded,
    onDone: () => {
      // what is written after that is another draft
      stored.current = undefined
      setShown(undefined)
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
    if (files.length === 0 || (stored.current === undefined && !(await form.submit()))) return
    // one after the other: each makes a version of the draft
    for (const file of files) await attach.mutateAsync(file)
  }
  const add = (files: readonly File[]) => {
    // what was refused is shown by `attach`
    attachAll(files).catch(() => {})
  }
  const saving = useAutosave(form, !attach.isPending && !send.isPending && !discard.isPending)
  const { refuse } = form
  const refusal = saving.state === 'failed' && saving.error instanceof ApiError ? saving.error : undefined
  // such as half an address: beside its field, as when it is sent
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form makes another function each time
  useEffect(() => {
    if (refusal !== undefined) refuse(refusal)
  }, [refusal])
  const isUntouched = isBegun && !form.isChanged && form.values.text === '' && shown?.version === draft?.version
  useDropUntouched(isUntouched ? shown?.id : undefined)
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
  const sendNow = async () => {
    const isEmpty =
      draft?.kind !== 'forward' && (shown?.attachments ?? []).length === 0 && form.values.text.trim() === ''
    const question = { title: t.inboxes.withoutText, text: t.inboxes.nothingWritten, yes: t.inboxes.sendAllTheSame }
    if (isEmpty && !(await confirm(question))) return
    const since = draft?.kind === 'forward' ? undefined : await cameSince(api, draft)
    if (since !== undefined) {
      const text = since.incoming ? t.inboxes.cameMeanwhile(since.from) : t.inboxes.sentMeanwhile
      if (!(await confirm({ title: t.inboxes.sendNonetheless, text, yes: t.inboxes.sendAllTheSame }))) return
    }
    if ((form.isChanged || stored.current === undefined) && !(await form.submit())) return
    if (stored.current !== undefined) send.mutate({ ...stored.current, allowEmpty: isEmpty })
  }
  const { to, cc, bcc } = form.values
  const addresses = [to, cc, bcc].flatMap(listed).map((each) => (typeof each === 'string' ? each : each.email))
  const unread = addresses.filter(isMachineAddress)
  return (
    <FormBox
      form={form}
      beside={
        <>
          {refusal === undefined ? <SavingText saving={saving} saved={t.campaigns.savedAt} /> : null}
          {stored.current === undefined ? null : (
            <Button
              variant="subtle"
              color="gray"
              loading={discard.isPending}
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
          <Button type="submit" variant="default" loading={form.isBusy} disabled={!form.isChanged || attach.isPending}>
            {t.inboxes.keepDraft}
          </Button>
          <Button loading={send.isPending} disabled={attach.isPending} onClick={() => void sendNow()}>
            {t.inboxes.send}
          </Button>
        </>
      }
    >
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
    </FormBox>
  )
}

/** The draft as it is typed, stored. */
function store(
  api: ReturnType<typeof useApi>,
  inboxId: string,
  draft: Draft | undefined,
  body: Partial<Record<'to' | 'cc' | 'bcc', ReturnType<typeof listed>> & Record<'subject' | 'body', string>>,
): Promise<Draft> {
  if (draft === undefined) {
    return answerOf(api.POST('/inboxes/{id}/drafts', { params: { path: { id: inboxId } }, body }))
  }
  const change = { ...body, version: draft.version }
  return answerOf(api.PATCH('/drafts/{id}', { params: { path: { id: draft.id } }, body: change }))
}

/** The newest message of the conversation, if it came or was sent after the answer was begun. */
async function cameSince(api: ReturnType<typeof useApi>, draft: Draft | undefined) {
  const id = draft?.threadId
  if (draft === undefined || id == null) return undefined
  const asked = api.GET('/threads/{id}/messages', { params: { path: { id }, query: { limit: 1 } } })
  // the answer itself is refused where its conversation is gone
  const newest = await answerOf(asked).catch(() => undefined)
  return newest?.data.find(({ id: messageId, at }) => messageId !== draft.messageId && at > draft.createdAt)
}
