import { ActionIcon, Badge, Button, Checkbox, Group, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { IconCopy, IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useMay } from '../api/project.tsx'
import type { Form } from '../parts/form.tsx'
import { LayoutSelect, SAME_LAYOUT } from '../parts/layout-select.tsx'
import { MailEditor } from '../parts/mail-editor/mail-editor.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { CampaignValues, VariantValues } from './campaign-values.ts'
import { VARIANTS } from './queries.ts'

/** The variants of a campaign in tabs. The first one, A, is the campaign itself: `children` are its fields. */
export function VariantTabs({
  form,
  open,
  onOpen,
  children,
}: {
  readonly form: Form<CampaignValues>
  /** The name of the variant whose tab is open. */
  readonly open: string
  readonly onOpen: (name: string) => void
  readonly children: ReactNode
}) {
  const t = useTexts()
  const words = t.variants.edit
  const may = useMay()
  const { variants, subject } = form.values
  const isFull = variants.length >= VARIANTS.length - 1
  const at = Math.min(VARIANTS.indexOf(open as (typeof VARIANTS)[number]), variants.length) - 1
  const shown = at < 0 ? undefined : variants[at]
  const add = (variant: VariantValues) => {
    form.set('variants', [...variants, variant])
    onOpen(VARIANTS[variants.length + 1] ?? 'A')
  }
  const remove = () => {
    form.set('variants', variants.toSpliced(at, 1))
    onOpen(VARIANTS[at] ?? 'A')
  }
  const name = VARIANTS[at + 1] ?? 'A'
  const tools = may.campaigns ? (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} />}
        disabled={isFull}
        onClick={() => add({ subject: subject || words.newSubject })}
      >
        {words.add}
      </Button>
      {shown === undefined ? null : (
        <>
          <ActionIcon
            variant="default"
            size={30}
            aria-label={words.copy(name)}
            disabled={isFull}
            onClick={() => add(shown)}
          >
            <IconCopy size={14} />
          </ActionIcon>
          <ActionIcon variant="default" size={30} aria-label={words.remove(name)} onClick={remove}>
            <IconTrash size={14} />
          </ActionIcon>
        </>
      )}
    </Group>
  ) : null
  // below the one mail: most campaigns have no other
  if (variants.length === 0) {
    return (
      <Stack>
        {children}
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {words.hint}
          </Text>
          {tools}
        </Group>
      </Stack>
    )
  }
  return (
    <Tabs value={name} onChange={(chosen) => onOpen(chosen ?? 'A')} keepMounted={false}>
      <Group justify="space-between" mb="md" gap="xs">
        <Tabs.List aria-label={t.variants.title}>
          {VARIANTS.slice(0, variants.length + 1).map((each, place) => (
            <Tabs.Tab key={each} value={each} aria-label={t.variants.variant(each)}>
              <Group gap={6}>
                {each}
                {place > 0 && form.errorOf(`variants.${place - 1}`) !== undefined ? (
                  <Badge color="red" size="xs" variant="light">
                    !
                  </Badge>
                ) : null}
              </Group>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tools}
      </Group>
      {isFull ? (
        <Text size="xs" c="dimmed" mb="sm">
          {words.most}
        </Text>
      ) : null}
      <Tabs.Panel value={name}>
        {shown === undefined ? children : <VariantFields key={name} form={form} at={at} variant={shown} />}
      </Tabs.Panel>
    </Tabs>
  )
}

/** The fields that a variant has instead of those of the campaign. */
function VariantFields({
  form,
  at,
  variant,
}: {
  readonly form: Form<CampaignValues>
  readonly at: number
  readonly variant: VariantValues
}) {
  const t = useTexts()
  const words = t.variants.edit
  const { values } = form
  const put = (change: { readonly [Key in keyof VariantValues]?: VariantValues[Key] | undefined }) => {
    const kept = Object.entries({ ...variant, ...change }).filter(([, value]) => value !== undefined)
    const next = Object.fromEntries(kept) as VariantValues
    form.set('variants', values.variants.with(at, next))
  }
  const errorOf = (field: string) => form.errorOf(`variants.${at}.${field}`)
  const text = (field: 'subject' | 'preheader' | 'from' | 'fromName') => ({
    value: variant[field] ?? '',
    placeholder: variant[field] === null ? '' : values[field],
    disabled: variant[field] === null,
    error: errorOf(field),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      put({ [field]: currentTarget.value === '' ? undefined : currentTarget.value }),
  })
  const none = (field: 'preheader' | 'fromName') => ({
    checked: variant[field] === null,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly checked: boolean } }) =>
      put({ [field]: currentTarget.checked ? null : undefined }),
  })
  const hasBody = variant.body !== undefined
  const whole = form.errorOf(`variants.${at}`)
  return (
    <Stack>
      <Text size="sm">{words.same}</Text>
      <TextInput label={t.campaigns.subject} maxLength={998} {...text('subject')} />
      <div>
        <TextInput label={t.templates.preheader} maxLength={255} {...text('preheader')} />
        <Checkbox mt={6} size="xs" label={words.noPreheader} {...none('preheader')} />
      </div>
      <TextInput label={t.campaigns.from} type="email" {...text('from')} />
      <div>
        <TextInput label={t.campaigns.fromName} maxLength={255} {...text('fromName')} />
        <Checkbox mt={6} size="xs" label={words.noFromName} {...none('fromName')} />
      </div>
      <LayoutSelect
        same={words.sameLayout}
        value={variant.layoutId === null ? '' : (variant.layoutId ?? SAME_LAYOUT)}
        onChange={(id) => put({ layoutId: id === SAME_LAYOUT ? undefined : id || null })}
        error={errorOf('layoutId')}
      />
      <Checkbox
        label={words.body}
        checked={hasBody}
        onChange={({ currentTarget }) =>
          put(
            currentTarget.checked
              ? {
                  body: values.body,
                  design: (values.design ?? undefined) as VariantValues['design'] | undefined,
                  source: values.source ?? undefined,
                }
              : { body: undefined, design: undefined, source: undefined },
          )
        }
      />
      {hasBody ? (
        <MailEditor
          follows
          label={t.campaigns.body}
          subject={variant.subject ?? values.subject}
          preheader={variant.preheader ?? values.preheader}
          body={variant.body ?? ''}
          layoutId={variant.layoutId === null ? '' : (variant.layoutId ?? values.layoutId)}
          design={variant.design ?? null}
          source={variant.source ?? null}
          onChange={({ body, design, source }) =>
            put({
              body,
              design: (design ?? undefined) as VariantValues['design'] | undefined,
              source: source ?? undefined,
            })
          }
        />
      ) : null}
      {whole === undefined ? null : (
        <Text size="sm" c="red" role="alert">
          {whole}
        </Text>
      )}
    </Stack>
  )
}
