import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useAct } from '../api/ask.ts'
import { Copy } from '../parts/copy.tsx'
import { wordsOf, wordsOfField } from '../parts/refusals.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The name that programs use. It is no part of the mail, so it changes at once and needs no publishing. */
export function SlugField({ id, slug = '' }: { readonly id: string; readonly slug?: string | undefined }) {
  const t = useTexts()
  const [value, setValue] = useState(slug)
  const save = useAct(
    (api) => api.PATCH('/templates/{id}', { params: { path: { id } }, body: { slug: value.trim() || null } }),
    { changes: ['templates'], done: t.templates.slugSaved, quiet: true },
  )
  const { error } = save
  const field = error instanceof ApiError ? error.fields.find((each) => each.field === 'slug') : undefined
  const problem = field ? wordsOfField(field, t) : error ? wordsOf(error, t).message : undefined
  const isChanged = value.trim() !== slug
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap">
      <TextInput
        flex={1}
        label={t.templates.slug}
        description={t.templates.slugHint}
        value={value}
        maxLength={100}
        error={problem}
        rightSection={slug === '' || isChanged ? null : <Copy value={slug} />}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (isChanged) save.mutate()
        }}
      />
      {isChanged ? (
        <Button mt={44} variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {t.templates.saveSlug}
        </Button>
      ) : null}
    </Group>
  )
}
