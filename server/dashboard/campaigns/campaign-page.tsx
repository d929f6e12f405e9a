import { Button, Menu } from '@mantine/core'
import {
  IconEye,
  IconEyeOff,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconRepeat,
  IconX,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAct } from '../api/ask.ts'
import type { Api } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { copyName } from '../parts/copy-name.ts'
import { DANGER } from '../parts/danger.ts'
import { NounActions } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { usePressOnce } from '../parts/press-once.ts'
import { Together } from '../parts/together/together.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CampaignResult } from './campaign-result.tsx'
import { EditCampaign, isWritten } from './edit-campaign.tsx'
import { Filed } from './filing.tsx'
import { PatternOf } from './pattern-of.tsx'
import { type Campaign, useCampaign } from './queries.ts'

/** One campaign: edited while it is a draft, watched while it is sent, read when it is done. */
export function CampaignPage({ id }: { readonly id: string }) {
  const t = useTexts()
  const campaign = useCampaign(id)
  const [isUnsaved, setUnsaved] = useState(false)
  return (
    <Answer of={campaign} lines={10}>
      {(found) => {
        const isEdited = isWritten(found) || isUnsaved
        return (
          <Page
            title={found.name}
            beside={<Pill status={found.status} />}
            trail={[{ text: t.campaigns.title, href: '/' }]}
            actions={<Actions campaign={found} />}
            compact={isEdited}
          >
            <Together kind="campaigns" id={id} version={found.version} />
            {isEdited ? <PatternOf id={id} /> : <Filed campaign={found} />}
            {isEdited ? <EditCampaign campaign={found} onUnsaved={setUnsaved} /> : <CampaignResult campaign={found} />}
            {/* while it is written, the mail comes first */}
            {isEdited ? <Filed campaign={found} /> : null}
          </Page>
        )
      }}
    </Answer>
  )
}

/** The actions for a campaign in its state. */
function Actions({ campaign: { id, name, status, failed, braked, shelvedAt } }: { readonly campaign: Campaign }) {
  const t = useTexts()
  const may = useMay()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const path = { params: { path: { id } } }
  const changes = ['campaigns']
  const pause = useAct((api) => api.POST('/campaigns/{id}/pause', path), {
    changes,
    done: t.campaigns.paused,
    undo: () => (api) => api.POST('/campaigns/{id}/resume', path),
  })
  const resume = useAct((api) => api.POST('/campaigns/{id}/resume', path), { changes, done: t.campaigns.resumed })
  const cancel = useAct((api) => api.POST('/campaigns/{id}/cancel', path), { changes, done: t.campaigns.cancelled })
  const duplicate = (api: Api) => api.POST('/campaigns/{id}/duplicate', { ...path, body: { name: copyName(t, name) } })
  const writeOn = useAct(duplicate, {
    changes,
    done: t.campaigns.duplicated,
    onDone: (made) => navigate(`/${made.id}`),
  })
  const retry = useAct((api) => api.POST('/campaigns/{id}/retry-failed', path), { changes, done: t.campaigns.retried })
  const once = usePressOnce()
  const isAway = shelvedAt !== undefined
  const isUnderway = status === 'SENDING' || status === 'SCHEDULED' || status === 'PAUSED'
  const shelve = useAct((api) => api.PATCH('/campaigns/{id}/filing', { ...path, body: { shelved: !isAway } }), {
    changes,
    done: isAway ? t.campaigns.broughtBack : t.campaigns.putAwayDone,
  })
  const askCancel = async () => {
    const text = status === 'SCHEDULED' ? t.campaigns.cancelScheduledHint : t.campaigns.cancelHint
    const question = { title: t.campaigns.cancelTitle, text, yes: t.campaigns.cancel }
    if (await confirm({ ...question, no: t.anywhere.back, grave: true })) cancel.mutate()
  }
  if (!may.campaigns) return <CopyCurl path={`/campaigns/${id}`} />
  return (
    <>
      {status === 'SENDING' ? (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} />}
          loading={pause.isPending}
          onClick={() => once(pause.mutate)}
        >
          {t.campaigns.pause}
        </Button>
      ) : null}
      {status === 'PAUSED' && braked?.decision !== null ? (
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={resume.isPending}
          onClick={() => once(resume.mutate)}
        >
          {t.campaigns.resume}
        </Button>
      ) : null}
      {status === 'CANCELLED' ? (
        <Button
          variant="default"
          leftSection={<IconPencil size={16} />}
          loading={writeOn.isPending}
          onClick={() => once(writeOn.mutate)}
        >
          {t.campaigns.writeOn}
        </Button>
      ) : null}
      {failed > 0 && (status === 'SENT' || status === 'FAILED') ? (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={retry.isPending}
          onClick={() => once(retry.mutate)}
        >
          {t.campaigns.retry}
        </Button>
      ) : null}
      <CopyCurl path={`/campaigns/${id}`} />
      <NounActions
        duplicate={{
          act: duplicate,
          changes,
          done: t.campaigns.duplicated,
          label: t.campaigns.duplicate,
        }}
        last={
          <>
            {isAway || !isUnderway ? (
              <Menu.Item
                leftSection={isAway ? <IconEye size={14} /> : <IconEyeOff size={14} />}
                onClick={() => shelve.mutate()}
              >
                {isAway ? t.campaigns.bringBack : t.campaigns.putAway}
              </Menu.Item>
            ) : null}
            {isUnderway ? (
              <Menu.Item color={DANGER} leftSection={<IconX size={14} />} onClick={() => void askCancel()}>
                {t.campaigns.cancel}
              </Menu.Item>
            ) : null}
          </>
        }
        remove={
          status === 'SENDING'
            ? undefined
            : {
                act: (api) => api.DELETE('/campaigns/{id}', path),
                changes,
                done: t.campaigns.deleted,
                question: {
                  title: t.campaigns.deleteTitle(name),
                  text: t.campaigns.deleteHint,
                  yes: t.campaigns.delete,
                },
              }
        }
      >
        <Menu.Item leftSection={<IconRepeat size={14} />} onClick={() => navigate(`/series/new?campaign=${id}`)}>
          {t.series.fromCampaign}
        </Menu.Item>
      </NounActions>
    </>
  )
}
