import type { RoleView } from '@thingwright/contracts/roles.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useRoleChanged } from '../hooks.ts'
import { roleName } from '../role-words.ts'

/** Copies a role under a new name and opens the copy: the way to change a built-in one. */
export function CopyRoleDrawer({
  role,
  onClose,
  onMade,
}: {
  role: RoleView
  onClose: () => void
  onMade: (id: string) => void
}) {
  const { t } = useTranslation('roles')
  const changed = useRoleChanged()
  const copy = useAct('roles.copy', { done: changed })
  const fields = useMemo<Field[]>(
    () => [{ kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64 }],
    [t],
  )
  return (
    <FormDrawer
      title={t('copyTitle', { name: roleName(role) })}
      fields={fields}
      initial={{ name: t('copyName', { name: roleName(role) }).slice(0, 64) }}
      submitText={t('copy')}
      onClose={onClose}
      onSubmit={async values => {
        const made = await copy.send({ params: { id: role.id }, body: { name: String(values.name) } })
        onMade(made.id)
      }}
    />
  )
}
