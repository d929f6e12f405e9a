import { Group, Radio, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi, useProject } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { useTexts } from '../texts/texts.tsx'
import { makeOf } from './make-recipe.ts'
import { useRecipeWords } from './recipe-words.ts'
import { mailsOf, RECIPES, type RecipeKey } from './recipes.ts'
import { EMPTY_START, triggerOf } from './start.ts'
import { partError, START_FIELDS, StartFields } from './start-fields.tsx'

const BLANK = 'blank'

/** A workflow begins empty, or as one of the recipes: a whole one, with drafts of its mails. */
export function NewWorkflow({ onCancel }: { readonly onCancel: () => void }) {
  const t = useTexts()
  const recipes = useRecipeWords()
  const api = useApi()
  const project = useProject()
  const [, navigate] = useLocation()
  const form = useForm({
    initial: { recipe: BLANK, name: '', start: EMPTY_START },
    save: ({ recipe, name, start }) =>
      isRecipe(recipe)
        ? makeOf(recipe, { name, start }, api, project, t, recipes)
        : answerOf(api.POST('/workflows', { body: { name, ...triggerOf(start) } })),
    changes: ['workflows', 'templates'],
    onSaved: ({ id }) => navigate(`/${id}`),
    names: { triggerConfig: 'start', triggerType: 'start' },
  })
  const keys = Object.keys(RECIPES) as RecipeKey[]
  const { recipe, name, start } = form.values
  const choose = (chosen: string) => {
    const of = isRecipe(chosen) ? { name: recipes[chosen].name, start: RECIPES[chosen].start } : { name: '', start: {} }
    // what was typed stays
    const isOurs = name === '' || keys.some((key) => recipes[key].name === name)
    form.setAll({ recipe: chosen, name: isOurs ? of.name : name, start: { ...start, ...of.start } })
  }
  return (
    <FormBox form={form} submit={t.anywhere.create} onCancel={onCancel} shown={['name', ...START_FIELDS]}>
      <Radio.Group label={recipes.choose} value={recipe} onChange={choose}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
          <Choice isFirst chosen={recipe} value={BLANK} name={recipes.blank} hint={recipes.blankHint} />
          {keys.map((key) => (
            <Choice key={key} chosen={recipe} value={key} name={recipes[key].name} hint={recipes[key].hint} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      {isRecipe(recipe) ? <Text size="sm">{recipes.mailsHint(mailsOf(recipe, recipes).length)}</Text> : null}
      <StartFields
        value={start}
        onChange={(changed) => form.set('start', changed)}
        errorOf={(part) => partError(form, part)}
        isNew
      />
      <TextInput label={t.workflows.name} required {...form.text('name')} />
    </FormBox>
  )
}

function isRecipe(chosen: string): chosen is RecipeKey {
  return chosen in RECIPES
}

/** A way to begin, with what it is in two lines. On a phone, where all of them would hide the rest, only of the chosen one. */
function Choice({
  value,
  chosen,
  name,
  hint,
  isFirst = false,
}: {
  readonly value: string
  readonly chosen: string
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
          <Text size="sm" c="dimmed" {...(value === chosen ? {} : { visibleFrom: 'sm' })}>
            {hint}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  )
}
