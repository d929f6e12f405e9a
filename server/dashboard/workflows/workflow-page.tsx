import { Button, Menu, Paper, Tabs } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { copyName } from '../parts/copy-name.ts'
import { DANGER } from '../parts/danger.ts'
import { useFormats } from '../parts/formats.ts'
import { useLastQuestion } from '../parts/last-question.tsx'
import { NounActions } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { usePressOnce } from '../parts/press-once.ts'
import { Together } from '../parts/together/together.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useWorkflowFindings } from './findings.ts'
import type { Workflow } from './graph.ts'
import { Runs } from './runs.tsx'
import { Steps } from './steps.tsx'
import { WorkflowSettings } from './workflow-settings.tsx'

/** One workflow: its steps, its runs, its settings. */
export function WorkflowPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const { values } = useAddress()
  const [, navigate] = useLocation()
  const workflow = useAsk<Workflow>(['workflows', id], (api, signal) =>
    api.GET('/workflows/{id}', { params: { path: { id } }, signal }),
  )
  const tab = values.tab ?? 'steps'
  return (
    <Answer of={workflow} lines={8}>
      {(found) => (
        <Page
          title={found.name}
          beside={<Pill status={found.enabled ? 'ENABLED' : 'DISABLED'} />}
          trail={[{ text: t.workflows.title, href: '/' }]}
          actions={<Actions workflow={found} />}
        >
          <Together kind="workflows" id={id} version={found.version} />
          <Tabs
            value={tab}
            // what narrows the runs belongs to them
            onChange={(chosen) => navigate(`/${id}${chosen === null || chosen === 'steps' ? '' : `?tab=${chosen}`}`)}
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="steps">{t.workflows.steps}</Tabs.Tab>
              <Tabs.Tab value="runs">{t.workflows.runs}</Tabs.Tab>
              <Tabs.Tab value="settings">{t.workflows.settings}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="steps">
              <Steps workflow={found} />
            </Tabs.Panel>
            <Tabs.Panel value="runs">
              <Runs workflow={found} />
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <Paper withBorder p="lg" maw={640}>
                <WorkflowSettings workflow={found} />
              </Paper>
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Answer>
  )
}

function Actions({ workflow }: { readonly workflow: Workflow }) {
  const { id, name, enabled } = workflow
  const t = useTexts()
  const formats = useFormats()
  const may = useMay()
  const confirm = useConfirm()
  const last = useLastQuestion()
  const once = usePressOnce()
  const findings = useWorkflowFindings()
  const path = { params: { path: { id } } }
  const changes = ['workflows']
  const turn = useAct((api, on: boolean) => api.PATCH('/workflows/{id}', { ...path, body: { enabled: on } }), {
    changes,
    done: (_, on) => (on ? t.workflows.isOn : t.workflows.isOff),
  })
  const end = useAct((api) => api.POST('/workflows/{id}/executions/cancel-all', path), {
    changes,
    done: ({ cancelled }) => t.workflows.runsEnded(formats.number(cancelled)),
  })
  const askEnd = async () => {
    const question = { title: t.workflows.endRunsTitle, text: t.workflows.endRunsHint, yes: t.workflows.endRuns }
    if (await confirm({ ...question, no: t.anywhere.back, grave: true })) end.mutate()
  }
  const turnOn = async () => {
    const question = { title: t.workflows.turnOnTitle, yes: t.workflows.turnOn }
    const answers = { ...question, yesAllTheSame: t.checks.turnOnAllTheSame }
    if (await last.ask(() => findings(workflow), answers)) turn.mutate(true)
  }
  return (
    <>
      <CopyCurl path={`/workflows/${id}`} />
      {may.workflows ? (
        <>
          <Button
            variant={enabled ? 'default' : 'filled'}
            leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            loading={turn.isPending || last.isAsking}
            onClick={() => once(() => (enabled ? turn.mutate(false) : void turnOn()))}
          >
            {enabled ? t.workflows.turnOff : t.workflows.turnOn}
          </Button>
          <NounActions
            duplicate={{
              act: (api) => api.POST('/workflows/{id}/duplicate', { ...path, body: { name: copyName(t, name) } }),
              changes,
              done: t.workflows.duplicated,
              label: t.workflows.duplicate,
            }}
            last={
              <Menu.Item color={DANGER} leftSection={<IconX size={14} />} onClick={() => void askEnd()}>
                {t.workflows.endRuns}
              </Menu.Item>
            }
            remove={{
              act: (api) => api.DELETE('/workflows/{id}', path),
              changes,
              done: t.workflows.deleted,
              question: {
                title: t.workflows.deleteTitle(name),
                text: t.workflows.deleteHint,
                yes: t.workflows.delete,
              },
            }}
          />
        </>
      ) : null}
    </>
  )
}
