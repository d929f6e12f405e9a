import { Table, Text } from '@mantine/core'
import { IconCheck, IconMinus } from '@tabler/icons-react'
import { AREA_NAMES, AREAS, roleAllows } from '../../../core/projects/roles.ts'
import { MEMBER_ROLES } from '../../../core/values/member-roles.ts'
import { useTexts } from '../texts/texts.tsx'

/** The rights of each role, by the table that the server checks requests by. A phone has no room for a column of each. */
export function RoleTable() {
  const t = useTexts()
  return (
    <Table aria-label={t.settings.whatRolesMay} fz="sm" horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.settings.mayDo}</Table.Th>
          {MEMBER_ROLES.map((role) => (
            <Table.Th key={role} ta="center" fz="xs" visibleFrom="xs">
              {t.settings.roles[role]}
            </Table.Th>
          ))}
          <Table.Th hiddenFrom="xs">{t.settings.mayFrom}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {AREA_NAMES.map((area) => (
          <Table.Tr key={area}>
            <Table.Td>{t.settings.areas[area]}</Table.Td>
            {MEMBER_ROLES.map((role) => (
              <Table.Td key={role} ta="center" visibleFrom="xs">
                {roleAllows(role, area) ? (
                  <IconCheck size={16} aria-label={t.settings.roleMay} color="var(--mantine-color-teal-7)" />
                ) : (
                  <Text component="span" c="dimmed">
                    <IconMinus size={14} aria-label={t.settings.roleMayNot} />
                  </Text>
                )}
              </Table.Td>
            ))}
            <Table.Td hiddenFrom="xs">{t.settings.roles[AREAS[area].role]}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
