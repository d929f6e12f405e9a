import { Button, Group, Stepper } from '@mantine/core'
import { IconMinus } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProject, useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { goesOut } from '../parts/delivered.ts'
import { OnlyFor } from '../parts/only-for.tsx'
import { Page } from '../parts/page.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { DomainStep } from './domain-step.tsx'
import { MailStep } from './mail-step.tsx'
import { ProjectStep } from './project-step.tsx'
import classes from './steps.module.css'
import { TransportStep } from './transport-step.tsx'

const STEPS = ['project', 'domain', 'transport', 'mail'] as const

/** The way from an empty project to the first mail. Each step may be skipped; Home keeps what is left to do. */
export default function SetUp() {
  const t = useTexts()
  const { values, change } = useAddress()
  const project = useProjectId()
  const [, navigate] = useLocation()
  const at = Math.max(0, STEPS.indexOf(values.step as (typeof STEPS)[number]))
  const go = (to: number) => (to < STEPS.length ? change({ step: STEPS[to] }) : navigate(toProject(project, '/')))
  const next = () => go(at + 1)
  const isDone = useDone()
  const step = STEPS[at] ?? 'project'
  // the first is done by its own button, which asks for a name
  const isOver = step !== 'project' && isDone[step]
  return (
    <Page title={t.setUp.title} hint={t.setUp.hint}>
      <OnlyFor area="settings">
        <Stepper
          active={at}
          onStepClick={go}
          maw={1040}
          size="sm"
          wrap={false}
          allowNextStepsSelect
          classNames={{ step: classes.step, stepBody: classes.name }}
        >
          {STEPS.map((step) => (
            <Stepper.Step
              key={step}
              label={t.setUp.steps[step]}
              {...(isDone[step]
                ? {}
                : { completedIcon: <IconMinus size={16} aria-label={t.setUp.skipped} />, color: 'gray' })}
            >
              {step === 'project' ? (
                <ProjectStep onDone={next} />
              ) : step === 'domain' ? (
                <DomainStep onDone={next} />
              ) : step === 'transport' ? (
                <TransportStep />
              ) : (
                <MailStep />
              )}
            </Stepper.Step>
          ))}
        </Stepper>
        <Group maw={720} justify="space-between">
          <Button variant="subtle" disabled={at === 0} onClick={() => go(at - 1)}>
            {t.anywhere.back}
          </Button>
          {/* the last step is done by its own button, and not by leaving it */}
          <Button variant={isOver ? 'filled' : 'default'} onClick={next}>
            {at === STEPS.length - 1 ? t.setUp.finish : isOver || step === 'transport' ? t.anywhere.next : t.setUp.skip}
          </Button>
        </Group>
      </OnlyFor>
    </Page>
  )
}

/** Which steps are done; one that was only skipped is not. */
function useDone(): Readonly<Record<(typeof STEPS)[number], boolean>> {
  const project = useProject()
  const mails = useAsk(['emails', 'any'], (api, signal) =>
    api.GET('/emails', { params: { query: { limit: 1 } }, signal }),
  )
  return {
    project: true,
    domain: project.from !== null,
    transport: goesOut(project),
    mail: (mails.data?.data.length ?? 0) > 0,
  }
}
