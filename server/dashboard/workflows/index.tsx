import { Button } from '@mantine/core'
import { IconPlus, IconRoute } from '@tabler/icons-react'
import { Route, Switch } from 'wouter'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { MarkedName } from '../parts/together/marked-name.tsx'
import { useTexts } from '../texts/texts.tsx'
import { NewWorkflow } from './new-workflow.tsx'
import { RunPage } from './run-page.tsx'
import { StartText } from './start-text.tsx'
import { WorkflowPage } from './workflow-page.tsx'

type Workflow = components['schemas']['Workflow']

/** Mails and changes that follow by themselves when something happens. */
export default function Workflows() {
  return (
    <Switch>
      <Route path="/">
        <WorkflowList />
      </Route>
      <Route path="/:id/runs/:run">{({ id, run }) => <RunPage key={run} workflow={id} id={run} />}</Route>
      <Route path="/:id">{({ id }) => <WorkflowPage key={id} id={id} />}</Route>
    </Switch>
  )
}

function WorkflowList() {
  const t = useTexts()
  const may = useMay()
  const { values, change } = useAddress()
  const add = may.workflows ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
      {t.workflows.new}
    </Button>
  ) : null
  return (
    <Page
      title={t.workflows.title}
      hint={t.workflows.hint}
      actions={
        <>
          <CopyCurl path="/workflows" />
          {add}
        </>
      }
    >
      <List<Pick<Workflow, 'id' | 'name' | 'enabled' | 'triggerType' | 'triggerConfig' | 'version' | 'updatedAt'>>
        noun="workflows"
        label={t.workflows.title}
        ask={(api, { page: _, ...query }, signal) => api.GET('/workflows', { params: { query }, signal })}
        href={({ id }) => `/${id}`}
        rowName={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t.workflows.name,
            cell: ({ id, name, version }) => <MarkedName kind="workflows" id={id} name={name} version={version} />,
          },
          {
            key: 'state',
            title: t.workflows.state,
            cell: ({ enabled }) => <Pill status={enabled ? 'ENABLED' : 'DISABLED'} />,
          },
          {
            key: 'starts',
            title: t.workflows.starts,
            cell: (workflow) => <StartText of={workflow} />,
          },
          { key: 'updatedAt', title: t.anywhere.updated, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
        ]}
        empty={<Empty icon={<IconRoute />} title={t.workflows.empty} hint={t.workflows.emptyHint} action={add} />}
      />
      <SidePanel
        title={t.workflows.new}
        opened={values.new === '1'}
        onClose={() => change({ new: undefined })}
        size="xl"
      >
        <NewWorkflow onCancel={() => change({ new: undefined })} />
      </SidePanel>
    </Page>
  )
}
