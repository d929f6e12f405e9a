import { IconPhoto } from '@tabler/icons-react'
import { useAct } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { DropArea } from '../parts/drop-area.tsx'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { WhoMay } from '../parts/only-for.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Picture, type Upload } from './picture.tsx'

/** The pictures of the project, with their addresses for mails. */
export default function Uploads() {
  const t = useTexts()
  const may = useMay()
  const upload = useAct(
    (api, file: File) => api.POST('/uploads/image', { body: { file, name: file.name.slice(-255) } }),
    { changes: ['uploads'], done: (_, { name }) => t.uploads.uploaded(name) },
  )
  return (
    <Page title={t.uploads.title} hint={t.uploads.hint} actions={<CopyCurl path="/uploads" />}>
      {may.templates ? (
        <DropArea
          icon={<IconPhoto size={28} aria-hidden />}
          text={t.uploads.drop}
          choose={t.uploads.choose}
          accept="image/png,image/jpeg,image/gif,image/webp"
          onFiles={(files) => {
            for (const file of files) upload.mutate(file)
          }}
          isBusy={upload.isPending}
          many
          tight
        />
      ) : null}
      <List<Upload>
        noun="uploads"
        label={t.uploads.title}
        ask={(api, query, signal) => api.GET('/uploads', { params: { query }, signal })}
        tile={(picture) => <Picture upload={picture} />}
        empty={
          <Empty title={t.uploads.empty} hint={may.templates ? t.uploads.emptyHint : <WhoMay area="templates" />} />
        }
      />
    </Page>
  )
}
