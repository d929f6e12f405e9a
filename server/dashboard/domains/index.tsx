import { Button, TextInput } from '@mantine/core'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { Route, Switch, useLocation } from 'wouter'
import { answerOf } from '../api/client.ts'
import { useApi, useMay, useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { DomainPill } from '../parts/dns-records.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DomainPage } from './domain-page.tsx'
import { useDomains } from './queries.ts'

/** The domains a project sends from. */
export default function Domains() {
  return (
    <Switch>
      <Route path="/">
        <DomainList />
      </Route>
      <Route path="/:id">{({ id }) => <DomainPage key={id} id={id} />}</Route>
    </Switch>
  )
}

function DomainList() {
  const t = useTexts()
  const may = useMay()
  const project = useProjectId()
  const { values, change } = useAddress()
  const domains = useDomains()
  const add = may.domains ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
      {t.domains.add}
    </Button>
  ) : null
  return (
    <Page
      title={t.domains.title}
      hint={t.domains.hint}
      actions={
        <>
          <CopyCurl path={`/domains/project/${project}`} />
          {add}
        </>
      }
    >
      <Answer of={domains}>
        {(found) => (
          <DataTable
            name="domains"
            label={t.domains.title}
            rows={found}
            href={({ id }) => `/${id}`}
            columns={[
              { key: 'domain', title: t.domains.domain, cell: ({ domain }) => domain },
              { key: 'status', title: t.anywhere.status, cell: (domain) => <DomainPill domain={domain} /> },
              {
                key: 'checked',
                title: t.domains.checkedAt,
                cell: ({ lastCheckedAt }) => <Moment at={lastCheckedAt} />,
              },
            ]}
            empty={<Empty icon={<IconWorld />} title={t.domains.empty} hint={t.domains.emptyHint} action={add} />}
          />
        )}
      </Answer>
      <SidePanel title={t.domains.add} opened={values.new === '1'} onClose={() => change({ new: undefined })}>
        <NewDomain onClose={() => change({ new: undefined })} />
      </SidePanel>
    </Page>
  )
}

function NewDomain({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts()
  const api = useApi()
  const [, navigate] = useLocation()
  const form = useForm({
    initial: { domain: '' },
    save: ({ domain }) => answerOf(api.POST('/domains', { body: { domain: domainIn(domain) } })),
    changes: ['domains'],
    done: ({ domain }) => t.domains.added(domain),
    onSaved: ({ id }) => navigate(`/${id}`),
  })
  return (
    <FormBox form={form} submit={t.anywhere.add} onCancel={onClose}>
      <TextInput
        label={t.domains.domain}
        description={t.domains.domainHint}
        required
        data-autofocus
        {...form.text('domain')}
      />
    </FormBox>
  )
}

/** The domain in an address of a page or of a person, as it is copied from there. */
function domainIn(typed: string): string {
  const [, found] = /^(?:https?:\/\/)?(?:[^@/\s]*@)?([^@/?#\s]+)(?:[/?#]\S*)?$/i.exec(typed.trim()) ?? []
  return found?.replace(/\.$/, '') ?? typed
}
