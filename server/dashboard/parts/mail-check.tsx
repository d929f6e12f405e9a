import { Alert, Anchor, Button, Group, List, Loader, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconRefresh } from '@tabler/icons-react'
import { useAsk, useAskAll, useAskNow } from '../api/ask.ts'
import type { Api, components } from '../api/client.ts'
import { useProject } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useAdvice } from './advice.ts'
import { useFormats } from './formats.ts'
import classes from './mail-check.module.css'
import type { MailSource } from './mail-editor/written.ts'
import { Problem } from './problem.tsx'

type Checked = components['schemas']['CheckedMail']
type Project = ReturnType<typeof useProject>
type ApiFinding = components['schemas']['MailFinding']
/** The part that a finding is about: one of the mail, or of its surroundings. */
export type FindingField = ApiFinding['field'] | 'domain' | 'audience'

/** A mail as it stands in a form. */
export interface CheckableMail {
  readonly type: 'MARKETING' | 'TRANSACTIONAL'
  readonly subject: string
  readonly preheader: string
  readonly body: string
  /** Instead of the body, when it is not made yet. */
  readonly source?: MailSource | null
  readonly layoutId: string
}

/** The finding in the reader's words. */
export interface OwnFinding {
  readonly severity: ApiFinding['severity']
  readonly message: string
  readonly field?: FindingField
  /** True for what is asked about before the mail goes out, though it is no error. */
  readonly asks?: boolean
}

/** The check of a mail: what can be seen at once, and a little later what its links answer. */
export interface MailCheck {
  readonly checked: Checked | undefined
  /** Whether links are being asked. */
  readonly isAsking: boolean
  readonly error: Error | null
  readonly again: () => void
}

/** Checks a mail. Its links are asked once for the same words, since a project may have that done ten times a minute. */
export function useMailCheck(mail: CheckableMail): MailCheck {
  const project = useProject()
  const seen = useAsk<Checked>(...checkOf(mail, false, project))
  const whole = useAsk<Checked>(...checkOf(mail, true, project))
  return {
    checked: whole.data ?? seen.data,
    isAsking: whole.isFetching,
    error: whole.error ?? seen.error,
    again() {
      void whole.refetch()
    },
  }
}

/** How many errors each of these mails has, as far as it is known: as `useMailCheck` finds them. */
export function useMailErrors(mails: readonly CheckableMail[]): readonly number[] {
  const project = useProject()
  const seen = useAskAll<Checked>(mails.map((mail) => checkOf(mail, false, project)))
  const whole = useAskAll<Checked>(mails.map((mail) => checkOf(mail, true, project)))
  return mails.map((_, at) => {
    const checked = whole[at]?.data ?? seen[at]?.data
    return checked?.findings.filter(({ severity }) => severity === 'error').length ?? 0
  })
}

/** Asks what is found in a mail, when something is pressed: with its links, where those were asked before. */
export function useFindingsNow() {
  const askNow = useAskNow()
  const project = useProject()
  const say = useAdvice()
  return async (mail: CheckableMail): Promise<readonly OwnFinding[]> => {
    const [key, ask, { enabled, once }] = checkOf(mail, false, project)
    if (!enabled) return []
    const { findings } = await askNow<Checked>(key, ask, { once })
    return findings.map(inWords(say))
  }
}

/** A mail without these leaves its sender open to fines, so that they are asked about. */
const ASKED: ReadonlySet<string> = new Set(['postal_unset', 'postal_missing'])

function inWords(say: ReturnType<typeof useAdvice>) {
  return ({ message, code, params, severity, field }: ApiFinding): OwnFinding => {
    const asks = ASKED.has(code)
    return { severity, field, message: say(message, [{ code, params }]), asks }
  }
}

/** How a mail is checked, with its links or without. */
function checkOf(
  { type, subject, preheader, body, source = null, layoutId }: CheckableMail,
  links: boolean,
  project: Project,
) {
  const content = source === null ? { body } : { source }
  const asked = { type, subject, preheader: preheader || null, ...content, layoutId: layoutId || null, links }
  return [
    // what is found depends on the settings of the project as well, such as its postal address
    ['checks', asked, project],
    (api: Api, signal: AbortSignal) => api.POST('/templates/check', { body: asked, signal }),
    { enabled: (source?.text ?? body) !== '', once: true },
  ] as const
}

const SEVERITIES = ['error', 'warning', 'hint'] as const
const COLORS = { error: 'red', warning: 'yellow', hint: 'gray' } as const

/** The findings, the worst first, each with the way to where it is mended. */
export function MailFindings({
  check,
  own = [],
  onFix,
}: {
  readonly check: MailCheck
  readonly own?: readonly OwnFinding[]
  /** Goes to where the field is changed. */
  readonly onFix?: (field: FindingField) => void
}) {
  const t = useTexts()
  const say = useAdvice()
  const formats = useFormats()
  const { checked, isAsking, error } = check
  const found: readonly OwnFinding[] = [...own, ...(checked?.findings ?? []).map(inWords(say))]
  return (
    <Stack gap="sm" aria-live="polite">
      {error ? <Problem error={error} retry={check.again} /> : null}
      {SEVERITIES.map((severity) => (
        <Findings
          key={severity}
          severity={severity}
          found={found.filter((each) => each.severity === severity)}
          onFix={onFix}
        />
      ))}
      {checked !== undefined && !isAsking && found.length === 0 ? (
        <Alert color="teal" icon={<IconCircleCheck />}>
          {t.checks.allWell}
        </Alert>
      ) : null}
      <Group justify="space-between" gap="xs">
        {isAsking ? (
          <Group gap="xs" role="status">
            <Loader size="xs" />
            <Text size="sm">{t.checks.asking}</Text>
          </Group>
        ) : (
          <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={check.again}>
            {t.checks.again}
          </Button>
        )}
        {checked === undefined ? null : (
          <Text size="xs" c="dimmed">
            {t.checks.figures(
              formats.number(Math.round(checked.figures.htmlBytes / 102.4) / 10),
              formats.number(checked.figures.links),
              formats.number(checked.figures.images),
            )}
          </Text>
        )}
      </Group>
    </Stack>
  )
}

function Findings({
  severity,
  found,
  onFix,
}: {
  readonly severity: OwnFinding['severity']
  readonly found: readonly OwnFinding[]
  readonly onFix: ((field: FindingField) => void) | undefined
}) {
  const t = useTexts()
  if (found.length === 0) return null
  return (
    <Alert color={COLORS[severity]} title={t.checks[severity]}>
      <List size="sm" spacing={6} className={classes.found}>
        {found.map(({ message, field }) => (
          <List.Item key={message}>
            {message}{' '}
            {field && onFix ? (
              <Anchor
                component="button"
                type="button"
                size="sm"
                c="inherit"
                underline="always"
                onClick={() => onFix(field)}
              >
                {t.checks.fix[field]}
              </Anchor>
            ) : null}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
