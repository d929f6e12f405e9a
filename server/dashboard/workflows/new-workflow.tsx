import { Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'
import { makeOf } from './make-recipe.ts'
import { useRecipeWords } from './recipe-words.ts'
import { mailsOf, RECIPES, type RecipeKey } from './recipes.ts'

const BLANK = 'blank'

/** A workflow begins empty, or as one of the recipes: a whole one, with drafts of its mails. */
export function NewWorkflow({ onCancel }: { readonly onCancel: () => void }) {
  const t = useTexts()
  const recipes = useRecipeWords()
  const api = useApi()
  const project = useProject()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const form = useForm({
    initial: { recipe: BLANK, name: '', eventName: '' },
    save: ({ recipe, ...body }) =>
      isRecipe(recipe) ? makeOf(recipe, body, api, project, t, recipes) : answerOf(api.POST('/workflows', { body })),
    async onSaved({ id }) {
      await Promise.all(
        ['workflows', 'templates'].map((noun) => queries.invalidateQueries({ queryKey: [project.id, noun] })),
      )
      navigate(`/${id}`)
    },
    names: { triggerConfig: 'eventName' },
  })
  const keys = Object.keys(RECIPES) as RecipeKey[]
  const { recipe, name, eventName } = form.values
  const suggested = keys.map((key) => ({ name: recipes[key].name, eventName: RECIPES[key].event }))
  const choose = (chosen: string) => {
    const of = isRecipe(chosen) ? { name: recipes[chosen].name, eventName: RECIPES[chosen].event } : EMPTY
    // what somebody has typed stays
    const isOurs = (field: 'name' | 'eventName') =>
      form.values[field] === '' || suggested.some((each) => each[field] === form.values[field])
    form.setAll({
      recipe: chosen,
      name: isOurs('name') ? of.name : name,
      eventName: isOurs('eventName') ? of.eventName : eventName,
    })
  }
  return (
    <FormBox form={form} submit={t.anywhere.create} onCancel={onCancel}>
      <Radio.Group label={recipes.choose} value={recipe} onChange={choose}>
        <Stack gap="xs" mt="xs">
          <Choice isFirst value={BLANK} name={recipes.blank} hint={recipes.blankHint} />
          {keys.map((key) => (
            <Choice key={key} value={key} name={recipes[key].name} hint={recipes[key].hint} />
          ))}
        </Stack>
      </Radio.Group>
      {isRecipe(recipe) ? <Text size="sm">{recipes.mailsHint(mailsOf(recipe, recipes).length)}</Text> : null}
      <TextInput label={t.workflows.name} required {...form.text('name')} />
      <TextInput label={t.workflows.event} description={t.workflows.eventHint} required {...form.text('eventName')} />
    </FormBox>
  )
}

const EMPTY = { name: '', eventName: '' }

function isRecipe(chosen: string): chosen is RecipeKey {
  return chosen in RECIPES
}

/** A way to begin, with what it is in two lines. */
function Choice({
  value,
  name,
  hint,
  isFirst = false,
}: {
  readonly value: string
  readonly name: string
  readonly hint: string
  readonly isFirst?: boolean
}) {
  return (
    <Radio.Card value={value} p="sm" data-autofocus={isFirst || undefined}>
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator mt={2} />
        <div>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  )
}
