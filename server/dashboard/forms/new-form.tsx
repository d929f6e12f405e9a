import { Alert, Box, Button, Card, SimpleGrid, Stack, Text } from '@mantine/core'
import { useProject } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { SenderForm } from '../parts/sender-form.tsx'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { useLanguage, useTexts } from '../texts/texts.tsx'
import { FormEditor } from './form-editor.tsx'
import { formPreview } from './form-preview.ts'
import { FORM_STARTERS, type FormStarter, formStarter } from './form-starters.ts'
import { EMPTY } from './form-values.ts'
import { SenderWaits } from './sender-waits.tsx'

/** The start that has no texts. */
const BLANK = 'blank'

/** A new form: begins with one of the starters, which the page's address names, or with none. */
export function NewForm() {
  const t = useTexts()
  const project = useProject()
  const { language } = useLanguage()
  const starter = (kind: FormStarter) => formStarter(kind, { name: project.name, locale: project.locale ?? language })
  const { values, change } = useAddress()
  const kind = FORM_STARTERS.find((each) => each === values.start)
  if (kind !== undefined || values.start === BLANK)
    return (
      <Stack>
        {project.from ? (
          <SenderWaits />
        ) : (
          <Alert color="yellow" title={t.forms.noSender}>
            <Text size="sm" mb="sm">
              {t.forms.noSenderHint}
            </Text>
            <SenderForm submit={t.anywhere.save} />
          </Alert>
        )}
        <FormEditor seen={{ values: kind === undefined ? EMPTY : starter(kind), version: 1 }} />
      </Stack>
    )
  return (
    <Stack>
      <Text>{t.forms.beginWith}</Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {FORM_STARTERS.map((each) => (
          <Card
            key={each}
            component="button"
            type="button"
            withBorder
            padding="xs"
            ta="start"
            onClick={() => change({ start: each })}
            aria-label={t.forms.starters[each]}
          >
            <Box visibleFrom="xs">
              <Thumbnail
                html={formPreview(starter(each), [], { ...project, locale: project.locale ?? language })}
                title={t.forms.starters[each]}
              />
            </Box>
            <Text fw={600} mt={{ base: 0, xs: 'xs' }}>
              {t.forms.starters[each]}
            </Text>
            <Text size="sm" c="dimmed">
              {t.forms.starterHints[each]}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
      <Button variant="default" w="fit-content" onClick={() => change({ start: BLANK })}>
        {t.forms.blank}
      </Button>
    </Stack>
  )
}
