import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useRoles } from '../hooks.ts'
import { isAddress, placeFields } from './member-fields.tsx'

/** Invites somebody by a link, mailed or texted. */
export function InviteDrawer({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation('members')
  const invite = useAct('members.invite')
  const { roles, failed } = useRoles()
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'string',
        key: 'address',
        label: t('address'),
        help: t('addressHelp'),
        required: true,
        maxLength: 254,
        check: value => (typeof value === 'string' && value !== '' && !isAddress(value) ? t('addressWrong') : null),
      },
      { kind: 'string', key: 'displayName', label: t('name'), maxLength: 64, half: true },
      {
        kind: 'enum',
        key: 'locale',
        label: t('language'),
        half: true,
        required: true,
        options: [
          { value: 'zh', label: t('languages.zh') },
          { value: 'en', label: t('languages.en') },
        ],
        display: 'segmented',
      },
      ...placeFields(t, roles, !failed),
    ],
    [t, roles, failed],
  )
  return (
    <FormDrawer
      title={t('inviteTitle')}
      fields={fields}
      initial={{
        address: '',
        displayName: '',
        locale: i18n.language === 'en' ? 'en' : 'zh',
        roleIds: [],
        groupId: null,
      }}
      submitText={t('sendInvitation')}
      note={t('inviteNote')}
      onClose={onClose}
      onSubmit={async values => {
        const body = { ...values, roleIds: values.roleIds ?? [] } as Body<'members.invite'>
        await invite.send({ body })
        notify.success(t('invited', { address: body.address }))
        onClose()
      }}
    />
  )
}
