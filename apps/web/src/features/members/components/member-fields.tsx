import type { RoleView } from '@thingwright/contracts/roles.contract'
import type { TFunction } from 'i18next'
import { GroupSelect } from '../../../ui/group-tree/group-select.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { RolePicker } from './role-picker.tsx'

type T = TFunction<'members'>

/** Roles and group, the same when inviting and when changing. */
export function placeFields(t: T, roles: readonly RoleView[], mayChooseRoles: boolean): Field[] {
  return [
    ...(mayChooseRoles
      ? [
          {
            kind: 'custom',
            key: 'roleIds',
            label: t('roles'),
            help: t('rolesHelp'),
            render: input => <RolePicker roles={roles} input={input} />,
          } satisfies Field,
        ]
      : []),
    {
      kind: 'custom',
      key: 'groupId',
      label: t('group'),
      help: t('groupHelp'),
      render: input => (
        <GroupSelect
          kind="device"
          id={input.id}
          value={(input.value as string | null) ?? null}
          onChange={input.onChange}
          disabled={input.disabled}
          placeholder={t('noGroup')}
        />
      ),
    },
  ]
}

/** A mail address or a phone: what the server reads as one of them. */
export function isAddress(text: string): boolean {
  const given = text.trim()
  return given.includes('@') ? /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/.test(given) : /^\+?[\d\s-]{6,20}$/.test(given)
}
