import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useProjectId } from '../api/project.tsx'
import { toProject } from '../shell/to-app.ts'
import { SearchSelect, type SearchSelectProps } from './search-select.tsx'

/** Chooses a template, found by a part of its name or subject, and leads to the one that is chosen. */
export function TemplateSelect({ value, ...props }: SearchSelectProps) {
  const project = useProjectId()
  const { data: chosen } = useAsk(
    ['templates', value],
    (api, signal) => api.GET('/templates/{id}', { params: { path: { id: value } }, signal }),
    { enabled: value !== '' },
  )
  return (
    <div>
      <SearchSelect
        {...props}
        noun="templates"
        find={(api, query, signal) => api.GET('/templates', { params: { query }, signal })}
        namesOf={({ templates }) => templates.map(({ id, name }) => [id, name])}
        chosen={chosen?.name}
        value={value}
      />
      {chosen === undefined ? null : (
        <Anchor component={Link} href={toProject(project, `/templates/${value}`)} size="sm">
          {chosen.name}
        </Anchor>
      )}
    </div>
  )
}
