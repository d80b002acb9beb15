import type { MemberView } from '@thingwright/contracts/members.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { nameOf, useRoles } from '../hooks.ts'
import { placeFields } from './member-fields.tsx'

/** Name, roles and group of a member. */
export function EditMemberDrawer({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('members')
  // After a conflict the list shows what is there now.
  const update = useAct('members.update', { always: true })
  const { roles, failed } = useRoles()
  // What the person sees while he types; later news must not make his answer look as if he had seen them.
  const [seen] = useState(member)
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'displayName', label: t('name'), required: true, maxLength: 64 },
      ...placeFields(t, roles, !failed),
    ],
    [t, roles, failed],
  )
  return (
    <FormDrawer
      title={t('editTitle', { name: nameOf(seen) })}
      fields={fields}
      initial={{
        displayName: seen.displayName || (seen.username ?? ''),
        roleIds: seen.roles.map(role => role.id),
        groupId: seen.group?.id ?? null,
      }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async (values, newer) => {
        const body = { ...values, version: newer ?? seen.version } as Body<'members.update'>
        await update.send({ params: { id: seen.id }, body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
