import { Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { APPROVALS } from '../../../core/ports/store/projects.ts'
import { answerOf, type components } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { useHasAssistant } from '../parts/assistant/use-assistant.ts'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'
import { AssistantFields } from './assistant-fields.tsx'
import { htmlOf, textOf } from './body-text.ts'
import { RulesInput } from './rules-input.tsx'

type Inbox = components['schemas']['Inbox']
/** The colours that labels get in turn. */
const COLOURS = ['#2f6fde', '#d92d20', '#0e9384', '#b54708', '#6941c6', '#475467'] as const

/** Makes an inbox, or changes one. */
export function InboxForm({ inbox, onDone }: { readonly inbox?: Inbox; readonly onDone: () => void }) {
  const t = useTexts()
  const api = useApi()
  const hasAssistant = useHasAssistant()
  const form = useForm({
    initial: {
      name: inbox?.name ?? '',
      address: inbox?.address ?? '',
      senderName: inbox?.senderName ?? '',
      signature: signatureShown(inbox?.signature ?? ''),
      labels: inbox?.labels.map(({ name }) => name).join('\n') ?? '',
      approval: inbox?.approval ?? ('never' as const),
      blocked: inbox?.blocked?.join('\n') ?? '',
      forwardTo: inbox?.forwardTo ?? '',
      retentionDays: inbox?.retentionDays ?? null,
      filterSpam: inbox?.filterSpam ?? true,
      rules: inbox?.rules ?? [],
      assistant: inbox?.assistant ?? null,
    },
    save: ({
      name,
      address,
      senderName,
      signature,
      labels,
      approval,
      blocked,
      forwardTo,
      retentionDays,
      filterSpam,
      rules,
      assistant,
    }) => {
      const forwarded = forwardTo.trim()
      const body = {
        name,
        senderName: senderName.trim() || null,
        signature: signatureOf(signature.trim()) || null,
        approval,
        labels: labelsOf(labels, inbox?.labels ?? []),
        blocked: linesOf(blocked),
        filterSpam: filterSpam ? null : false,
        retentionDays,
        assistant,
        // the same address once more would be asked again
        ...(forwarded === (inbox?.forwardTo ?? '') ? {} : { forwardTo: forwarded || null }),
        rules: rules.length === 0 ? null : [...rules],
      }
      return inbox
        ? answerOf(
            api.PATCH('/inboxes/{id}', {
              params: { path: { id: inbox.id } },
              body: { ...body, version: inbox.version },
            }),
          )
        : answerOf(api.POST('/inboxes', { body: { ...body, ...(address.trim() === '' ? {} : { address }) } }))
    },
    changes: ['inboxes'],
    done: ({ name }) => t.inboxes.saved(name),
    onSaved: onDone,
  })
  return (
    <FormBox form={form} submit={inbox ? t.anywhere.save : t.inboxes.make} onCancel={onDone}>
      <TextInput label={t.inboxes.name} required maxLength={100} data-autofocus {...form.text('name')} />
      {inbox ? null : (
        <TextInput label={t.inboxes.address} description={t.inboxes.addressHint} {...form.text('address')} />
      )}
      <TextInput label={t.inboxes.senderName} maxLength={255} {...form.text('senderName')} />
      <Textarea
        label={t.inboxes.signature}
        description={t.inboxes.signatureHint}
        autosize
        minRows={2}
        {...form.text('signature')}
      />
      <Textarea
        label={t.inboxes.labels}
        description={t.inboxes.labelsHint}
        autosize
        minRows={2}
        {...form.text('labels')}
      />
      <Select
        label={t.inboxes.approval}
        data={APPROVALS.map((value) => ({ value, label: t.inboxes.approvals[value] }))}
        allowDeselect={false}
        value={form.values.approval}
        onChange={(approval) => form.set('approval', approval ?? 'never')}
        error={form.errorOf('approval')}
      />
      <TextInput
        label={t.inboxes.forwardTo}
        description={
          inbox?.forwardTo === undefined || inbox.forwardTo !== form.values.forwardTo
            ? t.inboxes.forwardToHint
            : inbox.forwardConfirmedAt === undefined
              ? t.inboxes.forwardWaits
              : t.inboxes.forwardsNow
        }
        maxLength={254}
        {...form.text('forwardTo')}
      />
      <RulesInput
        rules={form.values.rules}
        labels={linesOf(form.values.labels) ?? []}
        onChange={(rules) => form.set('rules', [...rules])}
        errorOf={(field) => form.errorOf(field)}
      />
      <Textarea
        label={t.inboxes.blocked}
        description={t.inboxes.blockedHint}
        autosize
        minRows={2}
        maxRows={10}
        {...form.text('blocked')}
      />
      <NumberInput
        label={t.inboxes.retentionDays}
        description={t.inboxes.retentionHint}
        min={1}
        max={3650}
        allowDecimal={false}
        value={form.values.retentionDays ?? ''}
        onChange={(days) => form.set('retentionDays', typeof days === 'number' ? days : null)}
        error={form.errorOf('retentionDays')}
      />
      <Checkbox
        label={t.inboxes.filterSpam}
        checked={form.values.filterSpam}
        onChange={({ currentTarget }) => form.set('filterSpam', currentTarget.checked)}
      />
      {hasAssistant || form.values.assistant !== null ? (
        <AssistantFields
          value={form.values.assistant}
          onChange={(assistant) => form.set('assistant', assistant)}
          errorOf={(field) => form.errorOf(field)}
        />
      ) : null}
    </FormBox>
  )
}

/** Whether a text has an element of HTML: an address in angle brackets is none. */
const ELEMENT = /<(?:[a-z][a-z0-9]*(?:\s[^<>]*)?|\/[a-z][a-z0-9]*\s*|[a-z]+\s*\/)>/i

/** The signature as HTML; a typed text keeps its lines. */
function signatureOf(typed: string): string {
  return typed === '' || ELEMENT.test(typed) ? typed : htmlOf(typed)
}

/** The signature to go on with: as a text, if it was typed as one. */
function signatureShown(html: string): string {
  const text = textOf(html)
  return signatureOf(text) === html ? text : html
}

/** The lines that are not empty; null without any. */
function linesOf(text: string): string[] | null {
  const lines = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}

/** The labels of these lines; those that are there keep their colour. */
function labelsOf(lines: string, before: Inbox['labels']): Inbox['labels'] {
  const names = [...new Set(lines.split('\n').map((line) => line.trim()))].filter((name) => name !== '')
  return names.map((name, at) => {
    const known = before.find((label) => label.name === name)
    return known ?? { name, colour: COLOURS[at % COLOURS.length] ?? COLOURS[0] }
  })
}
